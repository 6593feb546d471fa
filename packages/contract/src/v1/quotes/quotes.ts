import { z } from 'zod'
import { NETWORK_VALUES, networkParameter } from '../../parameters.ts'
import { orNull } from '../../response-texts.ts'
import { codedFailure } from '../error-code.ts'
import { type PostRoute, parseRequest, type RequestOf } from '../route.ts'
import { amountQuote, quotedBlock } from './quote.ts'
import { quoteAliases, quoteParameters } from './quote-parameters.ts'

const MAX_QUOTES = 100
const QUOTES_MESSAGE = `quotes must be a list of 1 to ${MAX_QUOTES} objects`

const answered = z
  .strictObject({
    index: z.int().min(0).meta({ description: 'Position of the quote in the request, starting at 0' }),
    status: z.int().min(200).max(599).meta({ description: 'The status that `/v1/quote` would have' }),
    quote: orNull(amountQuote, 'Null if the quote failed'),
    failure: orNull(codedFailure, 'Null if the quote succeeded'),
  })
  .meta({ id: 'QuoteAnswer' })

export const quoteMany = {
  kind: 'post',
  operation: 'quoteMany',
  path: '/v1/quotes',
  summary: 'Up to 100 quotes, all at the same block',
  description: 'A quote that fails does not affect the others. Each quote counts as a request.',
  maxAgeS: 0,
  failures: [404],
  parts: 'quotes',
  countedAs: (parts) => parts,
  request: {
    network: networkParameter,
    quotes: z
      .array(z.record(z.string(), z.unknown(), { error: 'must be an object' }), { error: QUOTES_MESSAGE })
      .min(1, { error: QUOTES_MESSAGE })
      .max(MAX_QUOTES, { error: QUOTES_MESSAGE })
      .meta({ description: 'Each quote has the parameters of `/v1/quote` except `network`, as strings' }),
  },
  body: z
    .strictObject({
      network: z.enum(NETWORK_VALUES),
      block: quotedBlock,
      quotes: z.array(answered),
    })
    .meta({ id: 'QuoteAnswers' }),
} as const satisfies PostRoute

export type QuoteQuestion = RequestOf<typeof quoteParameters>

/** @throws InvalidRequest */
export function parseQuoteQuestion(raw: unknown): QuoteQuestion {
  return parseRequest(quoteParameters, raw, quoteAliases)
}
