import { type ContractCall, contractCall } from '../../abi/contract-abi.ts'
import { addressTopic, addressWord, uintWord } from '../../abi/words.ts'
import type { Address, Hex } from '../../chain.ts'
import type { Venue } from '../protocol.ts'
import { settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const TRADE =
  'event TradeExecute(address indexed origin, address src, uint256 srcAmount, address destToken, uint256 destAmount, address destAddress)'
const TRADE_OF_INDEXED =
  'event TradeExecute(address indexed origin, address indexed src, uint256 srcAmount, address indexed destToken, uint256 destAmount, address destAddress)'
const RESERVE = contractCall<[Hex, Address, bigint, boolean, boolean]>(
  'function getReserveDetailsByAddress(address reserve) view returns (bytes32 reserveId, address rebateWallet, uint8 resType, bool isFeeAccounted, bool isEntitledRebate)',
)
/** Reserve types: no reserve, and a bridge to another venue, which reports the trade itself. */
const NONE = 0n
const BRIDGE = 3n

const IS_RESERVE: ContractCall<[boolean]> = {
  data: RESERVE.data,
  read(answer) {
    const [, , type = NONE] = RESERVE.read(answer) ?? []
    return [type !== NONE && type !== BRIDGE]
  },
}

/** Reserves trade tokens for native coin, so a trade between two tokens goes through two of them. */
const kyber = settledVenue({
  kind: 'kyber',
  about: {
    name: 'Kyber Network',
    verifiedBy: '`getReserveDetailsByAddress(reserve)` of the storage',
    notCovered: 'reserves that were removed, as those before July 2020; bridges to other venues, which report them',
  },
  entry: { verifying: 'storage' },
  events: {
    [TRADE]: ({ data }) => ({
      sold: addressWord(data, 0),
      soldAmount: uintWord(data, 1),
      bought: addressWord(data, 2),
      boughtAmount: uintWord(data, 3),
    }),
    [TRADE_OF_INDEXED]: ({ topics, data }) => ({
      sold: addressTopic(topics, 2),
      soldAmount: uintWord(data, 0),
      bought: addressTopic(topics, 3),
      boughtAmount: uintWord(data, 1),
    }),
  },
  isListed: IS_RESERVE,
})

export const venue: Venue = { protocols: [kyber], deployments }
