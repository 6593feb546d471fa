import { z } from 'zod'
import { parseRequest, type RequestOf } from '../route.ts'
import { searchSwaps } from '../swaps.ts'

const WANTED = ['swap', 'candle', 'price'] as const
type Wanted = (typeof WANTED)[number]

const EVENTS_MESSAGE = `events must be given once, as some of ${WANTED.join(', ')} with commas between them`
const EVENTS_PATTERN = `^(${WANTED.join('|')})(,(${WANTED.join('|')})){0,2}$`
const MAX_ID_LENGTH = 256
const ID_MESSAGE = `last_event_id must be given once, as the id of an event (at most ${MAX_ID_LENGTH} characters)`

const request = {
  ...searchSwaps.filters,
  events: z
    .string({ error: EVENTS_MESSAGE })
    .regex(new RegExp(EVENTS_PATTERN), { error: EVENTS_MESSAGE })
    .transform((text): ReadonlySet<Wanted> => new Set(text.split(',') as Wanted[]))
    .optional()
    .meta({
      pattern: EVENTS_PATTERN,
      description: 'Which events to send besides those that every stream has; default `swap`.',
      example: 'swap,price',
    }),
  last_event_id: z
    .string({ error: ID_MESSAGE })
    .max(MAX_ID_LENGTH, { error: ID_MESSAGE })
    .optional()
    .meta({ description: 'For clients that cannot send the header `Last-Event-ID`. The header takes precedence.' }),
}

export const V1_STREAM = {
  operation: 'stream',
  path: '/v1/stream',
  summary: 'Changes as they happen: trades, one-minute candles, prices',
  description:
    'Server-Sent Events, or a WebSocket (RFC 6455) at the same URL, where each message is a list of `StreamEvent`. The ' +
    'filters are those of `/v1/swaps` and apply to trades; `network` and `token` also apply to candles and prices. A ' +
    '`swap` replaces an earlier one of the same network, block, transaction and position. A `head` follows the events ' +
    'of each change of the database, and has an `id`: a client that reconnects with it gets the events after it, or a ' +
    '`reset`.',
  failures: [400, 404],
  request,
} as const

export type StreamRequest = RequestOf<typeof request>

/** @throws InvalidRequest */
export function parseStreamRequest(raw: unknown): StreamRequest {
  return parseRequest(request, raw)
}
