import type { Venue } from '../protocol.ts'
import { pancakeswapInfinityBin } from './bin.ts'
import { pancakeswapInfinityCl } from './cl.ts'
import deployments from './deployments.json' with { type: 'json' }

export const venue: Venue = { protocols: [pancakeswapInfinityCl, pancakeswapInfinityBin], deployments }
