import { z } from 'zod'
import { NETWORK_VALUES, networkParameter } from '../../network-parameter.ts'
import { orNull } from '../../response-texts.ts'
import { codedFailure } from '../error-code.ts'
import { type PostRoute, parseRequest, type RequestOf } from '../route.ts'
import { amountQuote, quotedBlock } from './quote.ts'
import { quoteParameters } from './quote-parameters.ts'

const MAX_QUOTES = 100
const QUOTES_MESSAGE = `quotes must be a list of 1 to ${MAX_QUOTES} objects`

const answered = z
  .strictObject({
    index: z.int().min(0).meta({ description: 'Its place in the request, from 0' }),
    status: z.int().min(200).max(599).meta({ description: 'As of `/v1/quote`' }),
    quote: orNull(amountQuote, 'Null if it failed'),
    failure: orNull(codedFailure, 'Null if it did not fail'),
  })
  .meta({ id: 'QuoteAnswer' })

export const quoteMany = {
  kind: 'post',
  operation: 'quoteMany',
  path: '/v1/quotes',
  summary: 'Up to 100 quotes at one block, all in the same market',
  description: 'Each fails alone. Each counts as a request.',
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
      .meta({ description: 'Each has the parameters of `/v1/quote` except `network`, as texts' }),
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
  return parseRequest(quoteParameters, raw)
}
