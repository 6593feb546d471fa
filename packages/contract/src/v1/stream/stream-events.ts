import { z } from 'zod'
import { NETWORK_VALUES } from '../../network-parameter.ts'
import { addressText, decimalText, integerText, orNull } from '../../response-texts.ts'
import { listCandles } from '../candles.ts'
import { searchSwaps } from '../swaps.ts'

const network = z.enum(NETWORK_VALUES)
const token = addressText().meta({ description: 'Address with EIP-55 checksum; the coin appears as its wrapper' })

const swap = searchSwaps.row.omit({ final: true }).meta({
  id: 'StreamSwap',
  description: 'A trade as in `/v1/swaps`. It is final once the `final_block` of a `head` has reached its block',
})

const removed = z.strictObject({ network, from_block: integerText(), to_block: integerText() }).meta({
  id: 'StreamRemoved',
  description: 'The trades of these blocks were removed. Those that remain are sent again after this event',
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
    price_usd: orNull(decimalText(), 'The price as in `/v1/tokens`'),
  })
  .meta({ id: 'StreamPrice', description: 'The price of a token has changed' })

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
      'Use `from` and `to` as the parameters of `/v1/swaps`. Null if the blocks have no trades, or for all blocks',
    ),
    to: z.iso.datetime().nullable(),
  })
  .meta({ id: 'StreamReset', description: 'Discard the trades of these blocks, and read them from `/v1/swaps`' })

const slow = z.strictObject({ message: z.string() }).meta({
  id: 'StreamSlow',
  description: 'The client reads too slowly: more events wait than the server keeps, so it ends the connection',
})

const STREAM_EVENTS = { swap, removed, head, candle, price, reset, slow } as const
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
    ...(['swap', 'removed', 'candle', 'price', 'reset', 'slow'] as const).map(of),
  ])
  .meta({ id: 'StreamEvent' })
