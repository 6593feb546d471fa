import { DEFAULT_NETWORK } from '@dexfeed/dex'
import { z } from 'zod'
import { parseQuery } from './invalid-request.ts'
import { countParameter, NETWORK_VALUES, type NetworkValue, networkParameter, tokenParameter } from './parameters.ts'

interface SwapCursor {
  blockNumber: number
  network: NetworkValue
  transactionIndex: number
  position: number
}

const FORM = new RegExp(`^(\\d{1,15})-(${NETWORK_VALUES.join('|')})-(\\d{1,9})-(\\d{1,9})$`)

export function writeSwapCursor(cursor: SwapCursor): string {
  return `${cursor.blockNumber}-${cursor.network}-${cursor.transactionIndex}-${cursor.position}`
}

const cursorParameter = z
  .string({ error: 'cursor must be given once' })
  .transform((text, context): SwapCursor => {
    const [, blockNumber, network, transactionIndex, position] = FORM.exec(text) ?? []
    if (network === undefined) {
      context.addIssue({ code: 'custom', message: 'cursor must come from the next link of a page', input: text })
      return z.NEVER
    }
    return {
      blockNumber: Number(blockNumber),
      network: network as NetworkValue,
      transactionIndex: Number(transactionIndex),
      position: Number(position),
    }
  })
  .meta({ maxLength: 64, description: 'Continues after a page. Take it from the `next` link in the header `Link`.' })

const MAX_PAGE = 10_000

const limitParameter = countParameter('limit', /^[1-9]\d{0,4}$/, MAX_PAGE).meta({
  description: `Rows per page, 1 to ${MAX_PAGE}; without it, the response is the whole list.`,
  example: '100',
})

export const quoteQuery = z.object({
  sellToken: tokenParameter('sellToken', 'Contract address or symbol of the token to sell'),
  buyToken: tokenParameter('buyToken', 'Contract address or symbol of the token to buy'),
  network: networkParameter.default(DEFAULT_NETWORK),
})
type QuoteRequest = z.output<typeof quoteQuery>

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
