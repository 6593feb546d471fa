import { z } from 'zod'
import { networkParameter } from '../parameters.ts'
import { addressText, integerText, orNull, usdText } from '../response-texts.ts'
import { candleInterval } from './candles.ts'
import { intervalStart, intervalTimes, networkHeaders, poolParameter } from './parameters.ts'
import type { ListRoute } from './route.ts'

const interval = z
  .strictObject({
    time: z.iso.datetime().meta({ description: 'Start of the interval' }),
    adds: z.int().min(0).meta({ description: 'Number of events that added liquidity' }),
    removes: z.int().min(0).meta({ description: 'Number of events that removed liquidity' }),
    tokens: z
      .array(
        z
          .strictObject({
            address: addressText(),
            added: orNull(integerText(), 'Amount in base units; null if one of the events does not tell it'),
            removed: integerText().nullable(),
            net: orNull(z.string().regex(/^(0|-?[1-9]\d*)$/), '`added` less `removed`'),
            held: orNull(integerText(), 'Amount that the pool held at the end of the interval (see `liquidity_usd`)'),
          })
          .meta({ id: 'LiquidityFlow' }),
      )
      .meta({ description: 'The tokens of the pool' }),
    added_usd: orNull(usdText(), 'Value of what was added; null if the value of one of the events is unknown'),
    removed_usd: usdText().nullable(),
    net_usd: orNull(z.string().regex(/^-?(0|[1-9]\d*)\.\d{8}$/), '`added_usd` less `removed_usd`'),
    liquidity_usd: orNull(
      usdText(),
      'Value of what the pool held at the end of the interval, at the prices then, as `liquidity_usd` of a pool; in a ' +
        'longer interval that is not over, at its last full hour. Null before the state of the pool was first known, ' +
        'until the end of the interval is final, if unknown, and for intervals shorter than an hour',
    ),
  })
  .meta({ id: 'LiquidityInterval' })

export const listPoolLiquidity = {
  kind: 'list',
  operation: 'listPoolLiquidity',
  path: '/v1/pools/{network}/{address}/liquidity',
  summary: 'Liquidity of a pool over time: what it held, what was added and removed',
  description:
    'What was added and removed are sums of `/v1/liquidity_events`. Intervals begin as those of `/v1/candles`; those ' +
    'without events and without a known state are left out. A page covers `limit` intervals, but at most 90 days. Kept as long as swaps are.',
  maxAgeS: 1,
  failures: [404],
  headers: networkHeaders,
  filters: {
    network: networkParameter,
    address: poolParameter('address', 'The pool'),
    interval: candleInterval,
    ...intervalTimes,
  },
  row: interval,
  at: intervalStart,
  order: 'desc',
} as const satisfies ListRoute
