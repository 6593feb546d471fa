import { z } from 'zod'
import { networkParameter } from '../../network-parameter.ts'
import type { ReadRoute } from '../route.ts'
import { figureHeaders } from './catalog.ts'
import { pool } from './pools.ts'
import { tokenFigures } from './tokens.ts'

const MAX_LENGTH = 128
const Q_MESSAGE = `q must be given once, as 1 to ${MAX_LENGTH} characters without control characters`
const MAX_LIMIT = 50
const DEFAULT_LIMIT = 10
const LIMIT_MESSAGE = `limit must be given once, as a whole number from 1 to ${MAX_LIMIT}`

export const search = {
  kind: 'read',
  operation: 'search',
  path: '/v1/search',
  summary: 'Tokens and pools by symbol, name, pair, address or id',
  description:
    'First what has the address, then what is on the curated list (of pools: all their tokens are), each by volume. ' +
    'Names are what contracts claim; `listed` marks tokens that may be trusted.',
  maxAgeS: 5,
  failures: [404],
  headers: figureHeaders,
  request: {
    q: z
      .string({ error: Q_MESSAGE })
      .max(MAX_LENGTH, { error: Q_MESSAGE })
      .refine((text) => text.trim() !== '' && !/\p{Cc}|\p{Cs}/u.test(text), { error: Q_MESSAGE })
      .transform((text) => text.trim())
      .meta({
        minLength: 1,
        maxLength: MAX_LENGTH,
        description:
          'The beginning of a symbol or name, two of them with a slash between, or the address of a token or pool, or ' +
          "a pool's id; in any case",
        example: 'wbnb/usdt',
      }),
    network: networkParameter.optional(),
    limit: z
      .string({ error: LIMIT_MESSAGE })
      .regex(/^[1-9]\d?$/, { error: LIMIT_MESSAGE })
      .transform(Number)
      .refine((limit) => limit <= MAX_LIMIT, { error: LIMIT_MESSAGE })
      .default(DEFAULT_LIMIT)
      .meta({
        description: `Tokens, and pools, at most: 1 to ${MAX_LIMIT}; ${DEFAULT_LIMIT} without it.`,
        example: '10',
      }),
  },
  body: z
    .strictObject({
      tokens: z.array(tokenFigures).meta({ description: 'The best first' }),
      pools: z.array(pool).meta({ description: 'Found themselves, or pools of the best tokens; the best first' }),
    })
    .meta({ id: 'SearchResult' }),
} as const satisfies ReadRoute
