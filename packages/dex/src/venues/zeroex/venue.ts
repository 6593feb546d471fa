import { addressWord, bytesTail, uintWord } from '../../abi/words.ts'
import type { Address, Hex } from '../../chain.ts'
import type { Venue } from '../protocol.ts'
import { type SettledTrade, settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const RFQ =
  'event RfqOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, bytes32 pool)'
const OTC =
  'event OtcOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 makerTokenFilledAmount, uint128 takerTokenFilledAmount)'
const LIMIT =
  'event LimitOrderFilled(bytes32 orderHash, address maker, address taker, address feeRecipient, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, uint128 takerTokenFeeFilledAmount, uint256 protocolFeePaid, bytes32 pool)'

const zeroex = settledVenue({
  kind: 'zeroex',
  about: {
    name: '0x V4: RFQ, OTC and limit orders',
    verifiedBy: 'the configured contract is the emitter',
    notCovered: 'what 0x takes from other venues, which report it; Settler',
  },
  events: {
    [RFQ]: ({ data }) => ({
      sold: addressWord(data, 4),
      soldAmount: uintWord(data, 5),
      bought: addressWord(data, 3),
      boughtAmount: uintWord(data, 6),
    }),
    [OTC]: ({ data }) => ({
      sold: addressWord(data, 4),
      soldAmount: uintWord(data, 6),
      bought: addressWord(data, 3),
      boughtAmount: uintWord(data, 5),
    }),
    [LIMIT]: ({ data }) => ({
      sold: addressWord(data, 5),
      soldAmount: uintWord(data, 6),
      bought: addressWord(data, 4),
      boughtAmount: uintWord(data, 7),
    }),
  },
})

const FILL_V2 =
  'event Fill(address indexed makerAddress, address indexed feeRecipientAddress, address takerAddress, address senderAddress, uint256 makerAssetFilledAmount, uint256 takerAssetFilledAmount, uint256 makerFeePaid, uint256 takerFeePaid, bytes32 indexed orderHash, bytes makerAssetData, bytes takerAssetData)'
const FILL_V3 =
  'event Fill(address indexed makerAddress, address indexed feeRecipientAddress, bytes makerAssetData, bytes takerAssetData, bytes makerFeeAssetData, bytes takerFeeAssetData, bytes32 indexed orderHash, address takerAddress, address senderAddress, uint256 makerAssetFilledAmount, uint256 takerAssetFilledAmount, uint256 makerFeePaid, uint256 takerFeePaid, uint256 protocolFeePaid)'

/** Asset data of ERC20Token(address): the proxy's identifier, then the token as a word. */
const ERC20_ASSET = /^0xf47261b00{24}([0-9a-f]{40})$/

/** Leaves out version 3's bridges to venues with their own swap events. */
const zeroexExchange = settledVenue({
  kind: 'zeroex-exchange',
  about: {
    name: '0x V2, V3',
    verifiedBy: 'the configured contract is the emitter',
    notCovered: "all but one ERC-20 for another: items, V3's bridges to other venues",
  },
  events: {
    [FILL_V2]: ({ data }) => trade(data, { makerAsset: 6, takerAsset: 7, makerAmount: 2 }),
    [FILL_V3]: ({ data }) => trade(data, { makerAsset: 0, takerAsset: 1, makerAmount: 6 }),
  },
})

/** @param places word positions; the taker's amount follows the maker's */
function trade(
  data: Hex,
  places: { makerAsset: number; takerAsset: number; makerAmount: number },
): SettledTrade | null {
  const bought = tokenOf(bytesTail(data, places.makerAsset))
  const sold = tokenOf(bytesTail(data, places.takerAsset))
  if (bought === null || sold === null) return null
  const boughtAmount = uintWord(data, places.makerAmount)
  return { sold, soldAmount: uintWord(data, places.makerAmount + 1), bought, boughtAmount }
}

function tokenOf(asset: Hex): Address | null {
  const token = ERC20_ASSET.exec(asset)?.[1]
  return token === undefined ? null : `0x${token}`
}

export const venue: Venue = { protocols: [zeroex, zeroexExchange], deployments }
