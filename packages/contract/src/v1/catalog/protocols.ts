import { z } from 'zod'
import { NETWORK_VALUES } from '../../parameters.ts'
import type { ReadRoute } from '../route.ts'

const protocol = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    name: z.string(),
    pools: z.int().min(1).meta({ description: 'Number of verified pools with at least one trade' }),
  })
  .meta({ id: 'Protocol' })

export const listProtocols = {
  kind: 'read',
  operation: 'listProtocols',
  path: '/v1/protocols',
  summary: 'The DEXes that have stored pools',
  maxAgeS: 60,
  failures: [],
  request: {},
  body: z
    .strictObject({ data: z.array(protocol).meta({ description: 'Sorted by network and name' }) })
    .meta({ id: 'Protocols' }),
} as const satisfies ReadRoute
