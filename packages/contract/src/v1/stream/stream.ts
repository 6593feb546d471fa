import { z } from 'zod'
import { NETWORK_VALUES, textParameter, tokensParameter } from '../../parameters.ts'
import { addressText, decimalText, integerText, orNull, transactionHash, usdText } from '../../response-texts.ts'
import { listCandles } from '../candles.ts'
import { pool as storedPool } from '../catalog/pools.ts'
import { listLiquidityEvents } from '../liquidity-events.ts'
import { parseRequest, type RequestOf } from '../route.ts'
import { searchSwaps } from '../swaps.ts'

const network = z.enum(NETWORK_VALUES)
const token = addressText().meta({ description: 'Address with EIP-55 checksum; the coin appears as its wrapper' })

const swap = searchSwaps.row.omit({ final: true }).meta({
  id: 'StreamSwap',
  description: 'A trade as in `/v1/swaps`. It is final once the `final_block` of a `head` has reached its block',
})

const liquidity = listLiquidityEvents.row.omit({ final: true }).meta({
  id: 'StreamLiquidity',
  description: 'An event as in `/v1/liquidity_events`, final like a trade',
})

const removed = z.strictObject({ network, from_block: integerText(), to_block: integerText() }).meta({
  id: 'StreamRemoved',
  description:
    'The trades, liquidity events and pools of these blocks were removed. Those that remain are sent again after this ' +
    'event',
})

const head = z
  .strictObject({
    network,
    block_number: orNull(integerText(), 'Last indexed block; null if there is none yet'),
    time: orNull(z.iso.datetime(), 'Time of that block'),
    final_block: orNull(integerText(), 'Trades up to this block are final; null if none is final yet'),
  })
  .meta({ id: 'StreamHead', description: 'Every change of the network up to this point has been sent' })

const candle = listCandles.row
  .omit({ filled: true })
  .extend({
    network,
    token,
    swaps: z.int().min(0).meta({ description: 'Number of swap events of pools; 0 if all were removed' }),
  })
  .meta({ id: 'StreamCandle', description: 'The current candle of a token and a minute' })

const price = z
  .strictObject({
    network,
    token,
    symbol: orNull(z.string(), 'What the contract calls itself'),
    price_usd: orNull(decimalText(), 'The price as in `/v1/tokens`'),
    side: orNull(
      z.enum(['buy', 'sell']),
      "Whether the last of the token's hops that were added bought or sold it; null if hops were only removed",
    ),
    block_number: integerText().meta({ description: 'The price is that after this block, the last indexed one' }),
    time: z.iso.datetime().meta({ description: 'Time of that block' }),
  })
  .meta({ id: 'StreamPrice', description: 'The price of a token has changed' })

const pool = storedPool
  .pick({ network: true, address: true, protocol: true, tokens: true, fee_millionths: true, creator: true })
  .extend({
    created_at: z.iso.datetime().meta({ description: 'Time of the block that created the pool' }),
    created_block: integerText(),
    created_tx: transactionHash().meta({ description: 'The transaction that created the pool' }),
    liquidity_usd: orNull(
      usdText(),
      'Its first known liquidity, as in `/v1/pools`. The event is sent again once it is known',
    ),
  })
  .meta({ id: 'StreamPool', description: 'A pool was created. A later event of the same pool replaces it' })

const alert = z
  .strictObject({
    id: z.string().meta({ description: 'Of the alert; its retraction has the same one' }),
    sequence: z.int().min(1).meta({ description: 'Grows with each alert of the network' }),
    status: z.enum(['fired', 'retracted']).meta({
      description: '`retracted`: a reorg removed the cause of an alert that was `fired`',
    }),
    rule: z.string().meta({ description: 'Its name in the file of rules' }),
    kind: z.enum(['price', 'change', 'trade', 'new_pool', 'liquidity_removed', 'behind']),
    network,
    block_number: integerText(),
    block_hash: z.string(),
    time: z.iso.datetime().meta({ description: 'Time of that block' }),
    token: orNull(z.string(), 'The token of the rule'),
    pool: orNull(z.string(), 'The pool of the rule, or the one that the alert is about'),
    window: orNull(z.string(), 'Of a change'),
    price_usd: orNull(decimalText(), 'Of `price` and `change`'),
    change_percent: orNull(z.string(), 'Of the price, or of the liquidity (`liquidity_removed`)'),
    volume_usd: orNull(usdText(), 'Of a trade'),
    liquidity_usd: orNull(usdText(), 'Of a new pool'),
    seconds_behind: orNull(z.int(), 'Of a network that is behind'),
    tx_hash: orNull(transactionHash(), 'Of a trade'),
  })
  .meta({ id: 'StreamAlert', description: 'A rule of the operator came true, or is retracted' })

const reset = z
  .strictObject({
    network,
    reason: z.enum(['resume', 'history', 'network']).meta({
      description:
        '`resume`: events after the given id are no longer kept. `history`: blocks older than those that the stream ' +
        'keeps have changed. `network`: any row of the network may have changed, or the network has been added or ' +
        'removed',
    }),
    from_block: orNull(integerText(), 'First block; null for all blocks'),
    to_block: orNull(integerText(), 'Last block; null for all blocks'),
    from: orNull(
      z.iso.datetime(),
      'Use `from` and `to` as the parameters of the list. Null if the blocks have no rows, or for all blocks',
    ),
    to: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'StreamReset',
    description:
      'Discard the trades, liquidity events and pools of these blocks, and read them from `/v1/swaps`, ' +
      '`/v1/liquidity_events` and `/v1/pools`',
  })

const slow = z.strictObject({ message: z.string() }).meta({
  id: 'StreamSlow',
  description: 'The client reads too slowly: more events wait than the server keeps, so it ends the connection',
})

const STREAM_EVENTS = { swap, liquidity, removed, head, candle, price, pool, alert, reset, slow } as const
export type StreamEventName = keyof typeof STREAM_EVENTS

export type StreamData = { [Name in StreamEventName]: z.output<(typeof STREAM_EVENTS)[Name]> }

const of = <Name extends StreamEventName>(name: Name) =>
  z.strictObject({ event: z.literal(name), data: STREAM_EVENTS[name] })

export const streamEvent = z
  .union([
    z.strictObject({
      event: z.literal('head'),
      data: head,
      id: z
        .string()
        .optional()
        .meta({ description: 'Send it as `Last-Event-ID` or `last_event_id` to continue after this event' }),
    }),
    ...(['swap', 'liquidity', 'removed', 'candle', 'price', 'pool', 'alert', 'reset', 'slow'] as const).map(of),
  ])
  .meta({ id: 'StreamEvent' })

const WANTED = ['swap', 'candle', 'price', 'pool', 'liquidity', 'alert'] as const
type Wanted = (typeof WANTED)[number]

const EVENTS_PATTERN = `^(${WANTED.join('|')})(,(${WANTED.join('|')})){0,${WANTED.length - 1}}$`
const MAX_ID_LENGTH = 256
const ID_MESSAGE = `last_event_id must be given once, as the id of an event (at most ${MAX_ID_LENGTH} characters)`

const MAX_TOKENS = 50

const request = {
  ...searchSwaps.filters,
  token: tokensParameter(
    'token',
    'Only trades that sell or buy one of these tokens; symbols need `network`',
    MAX_TOKENS,
  ).optional(),
  events: textParameter('events', `some of ${WANTED.join(', ')} with commas between them`, new RegExp(EVENTS_PATTERN))
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
  summary: 'Changes as they happen: trades, liquidity, one-minute candles, prices, new pools, alerts',
  description:
    'Server-Sent Events, or a WebSocket (RFC 6455) at the same URL, where each message is a list of `StreamEvent`. The ' +
    'filters are those of `/v1/swaps` and apply to trades; `network` also applies to the other events, `token` to all but alerts, `pool` ' +
    'and `protocol` to liquidity, `protocol` to new pools. A `swap` replaces an earlier one of the same network, block, transaction and ' +
    'position, a `liquidity` one of the same network, block and `log_index`. A `head` follows the ' +
    'events of each change of the database, and has an `id`: a client that reconnects with it gets the events after it, ' +
    'or a `reset`.',
  failures: [400, 404],
  request,
} as const

export type StreamRequest = RequestOf<typeof request>

/** @throws InvalidRequest */
export function parseStreamRequest(raw: unknown): StreamRequest {
  return parseRequest(request, raw)
}
