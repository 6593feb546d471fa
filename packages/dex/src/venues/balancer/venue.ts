import type { Venue } from '../protocol.ts'
import { balancerV1 } from './balancer-v1.ts'
import { balancerV2 } from './balancer-v2.ts'
import { balancerV3 } from './balancer-v3.ts'
import deployments from './deployments.json' with { type: 'json' }

export const venue: Venue = { protocols: [balancerV1, balancerV2, balancerV3], deployments }
