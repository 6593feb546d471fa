import type { Venue } from '../protocol.ts'
import { algebraIntegral } from './algebra-integral.ts'
import { algebraDirectional, algebraV19 } from './algebra-v1.9.ts'
import { algebraV1 } from './algebra-v1.ts'
import deployments from './deployments.json' with { type: 'json' }

export const venue: Venue = { protocols: [algebraV1, algebraDirectional, algebraV19, algebraIntegral], deployments }
