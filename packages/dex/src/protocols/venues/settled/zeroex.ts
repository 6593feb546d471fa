import { addressWord, uintWord } from '../../../abi/words.ts'
import { settledVenue } from './settled-venue.ts'

const RFQ =
  'event RfqOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, bytes32 pool)'
const OTC =
  'event OtcOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 makerTokenFilledAmount, uint128 takerTokenFilledAmount)'
const LIMIT =
  'event LimitOrderFilled(bytes32 orderHash, address maker, address taker, address feeRecipient, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, uint128 takerTokenFeeFilledAmount, uint256 protocolFeePaid, bytes32 pool)'

/** Orders of makers that the 0x Exchange Proxy fills. The taker sells the taker's token and buys the maker's. */
export const zeroex = settledVenue({
  kind: 'zeroex',
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
