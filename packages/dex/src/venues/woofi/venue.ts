import { addressTopic, uintWord } from '../../abi/words.ts'
import type { Venue } from '../protocol.ts'
import { settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo, uint256 swapVol, uint256 swapFee)'

/** One pool of all tokens, priced by its oracle. The router's event repeats the pool's. */
const woofi = settledVenue({
  kind: 'woofi',
  about: {
    name: 'WOOFi',
    verifiedBy: 'the configured pool is the emitter',
    notCovered: 'pools before WooPPV2',
  },
  events: {
    [SWAP]: ({ topics, data }) => ({
      sold: addressTopic(topics, 1),
      soldAmount: uintWord(data, 0),
      bought: addressTopic(topics, 2),
      boughtAmount: uintWord(data, 1),
    }),
  },
})

export const venue: Venue = { protocols: [woofi], deployments }
