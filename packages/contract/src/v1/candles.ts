import { z } from 'zod'
import { networkParameter } from '../network-parameter.ts'
import { decimalText, orNull, usdText } from '../response-texts.ts'
import { contractParameter, intervalStart, intervalTimes, networkHeaders, poolParameter } from './parameters.ts'
import type { ListRoute } from './route.ts'

/** In seconds. */
export const CANDLE_INTERVALS = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const
const NAMES = Object.keys(CANDLE_INTERVALS) as (keyof typeof CANDLE_INTERVALS)[]

const INTERVAL_MESSAGE = `interval must be given once, as one of ${NAMES.join(', ')}`

const price = (what: string) => orNull(decimalText(), `${what}, in USD for a whole token; null where it is not known`)

const candle = z
  .strictObject({
    time: z.iso.datetime().meta({ description: 'When the interval begins' }),
    open: price('First price'),
    high: price('Highest price'),
    low: price('Lowest price'),
    close: price('Last price'),
    weighted: orNull(
      z.boolean(),
      'Of a token over all its pools: whether the 24 hours before weigh its pools. `false`: a part of them is not ' +
        'indexed, or its pools have just begun to trade. Null without prices, or of hops alone',
    ),
    volume_usd: usdText().meta({ description: 'Of the swaps whose value is known' }),
    swaps: z.int().min(1).meta({ description: 'Swap events of pools' }),
    unpriced_swaps: z.int().min(0).meta({ description: 'Those of them whose value is not known' }),
  })
  .meta({ id: 'Candle' })

export const listCandles = {
  kind: 'list',
  operation: 'listCandles',
  path: '/v1/candles',
  summary: 'Open, high, low, close and volume of a token, over all its pools, in one pool, or against another token',
  description:
    'Intervals begin at multiples of their length since 1970, UTC. Those without swaps are left out, and nothing is ' +
    'carried over from the one before. A page covers `limit` intervals, and at most 90 days, whatever was traded in ' +
    'them. The prices of a token are medians of its pools, those of a pool or pair are of its swaps: ' +
    'docs/internals/candles.md of the project. Candles are kept as long as swaps are.',
  maxAgeS: 1,
  failures: [404],
  headers: networkHeaders,
  filters: {
    network: networkParameter,
    token: contractParameter('token', 'The token whose price is shown; the coin has the price of its wrapper'),
    pool: poolParameter('pool', 'Swaps of this pool alone').optional(),
    against: contractParameter('against', 'Swaps against this token alone, over all pools of the two').optional(),
    interval: z.enum(NAMES, { error: INTERVAL_MESSAGE }),
    ...intervalTimes,
  },
  row: candle,
  at: intervalStart,
  order: 'desc',
} as const satisfies ListRoute
