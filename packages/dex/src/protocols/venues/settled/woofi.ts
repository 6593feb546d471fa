import { addressTopic, uintWord } from '../../../abi/words.ts'
import { settledVenue } from './settled-venue.ts'

const SWAP =
  'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo, uint256 swapVol, uint256 swapFee)'

/** WOOFi: one pool of all its tokens, WooPPV2, priced by its oracle. Its router's event repeats the pool's. */
export const woofi = settledVenue({
  kind: 'woofi',
  events: {
    [SWAP]: ({ topics, data }) => ({
      sold: addressTopic(topics, 1),
      soldAmount: uintWord(data, 0),
      bought: addressTopic(topics, 2),
      boughtAmount: uintWord(data, 1),
    }),
  },
})
