import { addressTopic, uintWord } from '../../abi/words.ts'
import type { Venue } from '../protocol.ts'
import { settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event Swap(address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, address indexed from, address to)'

const angle = settledVenue({
  kind: 'angle',
  about: {
    name: 'Angle Transmuter (EURA, USDA)',
    verifiedBy: 'the configured transmuter is the emitter',
    notCovered: 'redemptions for all collateral at once',
  },
  entry: { verifying: 'transmuter' },
  events: {
    [SWAP]: ({ topics, data }) => ({
      sold: addressTopic(topics, 1),
      soldAmount: uintWord(data, 0),
      bought: addressTopic(topics, 2),
      boughtAmount: uintWord(data, 1),
    }),
  },
})

export const venue: Venue = { protocols: [angle], deployments }
