import { DEFAULT_NETWORK } from '@dexfeed/dex'
import { z } from 'zod'
import { parseQuery } from './invalid-request.ts'
import { networkParameter } from './network-parameter.ts'
import { cursorParameter } from './swap-cursor.ts'
import { tokenParameter } from './token-parameter.ts'

const MAX_PAGE = 10_000

const LIMIT_MESSAGE = `limit must be given once, as a whole number from 1 to ${MAX_PAGE}`

const limitParameter = z
  .string({ error: LIMIT_MESSAGE })
  .regex(/^[1-9]\d{0,4}$/, { error: LIMIT_MESSAGE })
  .transform(Number)
  .refine((limit) => limit <= MAX_PAGE, { error: LIMIT_MESSAGE })
  .meta({ description: `Rows per page, 1 to ${MAX_PAGE}; without it, the response is the whole list.`, example: '100' })

export const quoteQuery = z.object({
  sellToken: tokenParameter('sellToken', 'sell'),
  buyToken: tokenParameter('buyToken', 'buy'),
  network: networkParameter.default(DEFAULT_NETWORK),
})
export type QuoteRequest = z.output<typeof quoteQuery>

export const swapsQuery = z.object({
  network: networkParameter.optional(),
  limit: limitParameter.optional(),
  cursor: cursorParameter.optional(),
})
export type SwapsRequest = z.output<typeof swapsQuery>

export function parseQuoteRequest(query: unknown): QuoteRequest {
  return parseQuery(quoteQuery, query)
}

export function parseSwapsRequest(query: unknown): SwapsRequest {
  return parseQuery(swapsQuery, query)
}
