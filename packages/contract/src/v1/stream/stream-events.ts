import { z } from 'zod'
import { NETWORK_VALUES } from '../../network-parameter.ts'
import { addressText, decimalText, integerText, orNull } from '../../response-texts.ts'
import { listCandles } from '../candles.ts'
import { searchSwaps } from '../swaps.ts'

const network = z.enum(NETWORK_VALUES)
const token = addressText().meta({ description: 'With its EIP-55 checksum; for the coin its wrapper' })

const swap = searchSwaps.row.omit({ final: true }).meta({
  id: 'StreamSwap',
  description: 'A trade as `/v1/swaps` lists it. It is final when a `head` says that its block is',
})

const removed = z
  .strictObject({ network, from_block: integerText(), to_block: integerText() })
  .meta({ id: 'StreamRemoved', description: 'The trades of these blocks were removed; the ones that remain follow' })

const head = z
  .strictObject({
    network,
    block_number: orNull(integerText(), 'Last indexed block; null before the first'),
    time: orNull(z.iso.datetime(), 'Time of that block'),
    final_block: orNull(integerText(), 'Trades up to this block are final; null before the first'),
  })
  .meta({ id: 'StreamHead', description: 'Every change of the network up to here was sent' })

const candle = listCandles.row
  .extend({ network, token, swaps: z.int().min(0).meta({ description: 'Swap events of pools; 0: none are left' }) })
  .meta({ id: 'StreamCandle', description: "A token's minute as it is now" })

const price = z
  .strictObject({
    network,
    token,
    price_usd: orNull(decimalText(), 'As `/v1/tokens` has it'),
  })
  .meta({ id: 'StreamPrice', description: 'The price of a token has changed' })

const reset = z
  .strictObject({
    network,
    reason: z.enum(['resume', 'history', 'network']).meta({
      description:
        '`resume`: what came after the id is not kept any more. `history`: blocks before the kept edge have changed. ' +
        '`network`: any of its rows may have changed, or it is no longer (or newly) indexed',
    }),
    from_block: orNull(integerText(), 'First block; null: all blocks'),
    to_block: orNull(integerText(), 'Last block; null: all blocks'),
    from: orNull(
      z.iso.datetime(),
      'For the parameters `from` and `to` of `/v1/swaps`; null: the blocks have no trades, or all blocks are meant',
    ),
    to: z.iso.datetime().nullable(),
  })
  .meta({ id: 'StreamReset', description: 'Forget the trades of these blocks, and read them from `/v1/swaps`' })

const slow = z.strictObject({ message: z.string() }).meta({
  id: 'StreamSlow',
  description: 'The listener is too slow: more events wait than the server keeps, and the connection ends',
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
      id: z.string().optional().meta({ description: 'Continues from here, like `Last-Event-ID` or `last_event_id`' }),
    }),
    ...(['swap', 'removed', 'candle', 'price', 'reset', 'slow'] as const).map(of),
  ])
  .meta({ id: 'StreamEvent' })
