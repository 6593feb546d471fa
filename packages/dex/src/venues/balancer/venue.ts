import { contractCall } from '../../abi/contract-abi.ts'
import { addressTopic, uintWord } from '../../abi/words.ts'
import { tokenNamed } from '../exchange.ts'
import { coinsBy, listedVenue } from '../listed-venue.ts'
import type { Venue } from '../protocol.ts'
import { balancerV2 } from './balancer-v2.ts'
import { balancerV3 } from './balancer-v3.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event LOG_SWAP(address indexed caller, address indexed tokenIn, address indexed tokenOut, uint256 tokenAmountIn, uint256 tokenAmountOut)'

const balancerV1 = listedVenue({
  kind: 'balancer-v1',
  about: {
    name: 'Balancer V1',
    verifiedBy: '`isBPool(pool)` of the factory',
    notCovered: 'tokens bound after the pool was found, until the next start',
  },
  holdsTokens: true,
  events: {
    [SWAP]: ({ topics, data }) => ({
      sold: tokenNamed(addressTopic(topics, 2)),
      soldAmount: uintWord(data, 0),
      bought: tokenNamed(addressTopic(topics, 3)),
      boughtAmount: uintWord(data, 1),
    }),
  },
  isListed: contractCall('function isBPool(address) view returns (bool)'),
  coins: [coinsBy(contractCall('function getCurrentTokens() view returns (address[])'))],
})

export const venue: Venue = { protocols: [balancerV1, balancerV2, balancerV3], deployments }
