import { z } from 'zod'
import { countParameter, networkParameter } from '../../parameters.ts'
import { PLAIN_TEXT } from '../parameters.ts'
import type { ReadRoute } from '../route.ts'
import { figureHeaders } from './catalog.ts'
import { pool } from './pools.ts'
import { tokenFigures } from './tokens.ts'

const MAX_LENGTH = 128
const Q_MESSAGE = `q must be given once, as 1 to ${MAX_LENGTH} characters without control characters`
const MAX_LIMIT = 50
const DEFAULT_LIMIT = 10

export const search = {
  kind: 'read',
  operation: 'search',
  path: '/v1/search',
  summary: 'Tokens and pools by symbol, name, pair, address or id',
  description:
    'An exact address comes first, then what is on the curated list (a pool is if all its tokens are), then the rest; ' +
    'each group is sorted by volume. Names are what contracts claim; `listed` marks tokens that can be trusted.',
  maxAgeS: 5,
  failures: [404],
  headers: figureHeaders,
  request: {
    q: z
      .string({ error: Q_MESSAGE })
      .max(MAX_LENGTH, { error: Q_MESSAGE })
      .refine((text) => text.trim() !== '' && PLAIN_TEXT.test(text), { error: Q_MESSAGE })
      .transform((text) => text.trim())
      .meta({
        minLength: 1,
        maxLength: MAX_LENGTH,
        description:
          'The beginning of a symbol or name, two of them separated by a slash, the address of a token or pool, or the ' +
          'id of a pool; in any case',
        example: 'wbnb/usdt',
      }),
    network: networkParameter.optional(),
    limit: countParameter('limit', /^[1-9]\d?$/, MAX_LIMIT)
      .default(DEFAULT_LIMIT)
      .meta({
        description: `Maximum number of tokens, and of pools: 1 to ${MAX_LIMIT}, default ${DEFAULT_LIMIT}.`,
        example: '10',
      }),
  },
  body: z
    .strictObject({
      tokens: z.array(tokenFigures).meta({ description: 'Best match first' }),
      pools: z.array(pool).meta({ description: 'Pools that match, and pools of the best tokens; best match first' }),
    })
    .meta({ id: 'SearchResult' }),
} as const satisfies ReadRoute
