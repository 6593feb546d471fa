import type { Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }
import { pancakeswapV3, solidlyV3 } from './forks.ts'
import { uniswapV3 } from './uniswap-v3.ts'

export const venue: Venue = { protocols: [uniswapV3, pancakeswapV3, solidlyV3], deployments }
