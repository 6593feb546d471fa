import { z } from 'zod'
import { networkParameter, tokenParameter, tokensParameter } from '../parameters.ts'
import { addressText, decimalText, orNull, usdText } from '../response-texts.ts'
import { flowSums } from './catalog/catalog.ts'
import { intervalStart, intervalTimes, networkHeaders, poolParameter } from './parameters.ts'
import type { ListRoute } from './route.ts'

/** In seconds. */
export const CANDLE_INTERVALS = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const
const NAMES = Object.keys(CANDLE_INTERVALS) as (keyof typeof CANDLE_INTERVALS)[]

const INTERVAL_MESSAGE = `interval must be given once, as one of ${NAMES.join(', ')}`

const price = (what: string) => orNull(decimalText(), `${what}, in USD per whole token; null if unknown`)

const MAX_TOKENS = 10

const candle = z
  .strictObject({
    token: addressText().meta({ description: 'The token whose price is shown; the coin appears as its wrapper' }),
    time: z.iso.datetime().meta({ description: 'Start of the interval' }),
    open: price('First price'),
    high: price('Highest price'),
    low: price('Lowest price'),
    close: price('Last price'),
    weighted: orNull(
      z.boolean(),
      'For a token over all its pools: whether the preceding 24 hours of trades determine how much each pool counts. ' +
        '`false` if part of these hours is not indexed, or if the pools have only just begun to trade. Null if there ' +
        'are no prices, and for candles of one pool or pair',
    ),
    volume_usd: usdText().meta({ description: 'Volume of the swaps whose value is known' }),
    swaps: z.int().min(1).meta({ description: 'Number of swap events of pools' }),
    unpriced_swaps: z.int().min(0).meta({ description: 'How many of them have no known value' }),
    ...flowSums,
  })
  .meta({ id: 'Candle' })

export const listCandles = {
  kind: 'list',
  operation: 'listCandles',
  path: '/v1/candles',
  summary: 'Open, high, low, close and volume of tokens, over all their pools, in one pool, or against another token',
  description:
    'Intervals begin at multiples of their length since 1970 (UTC). Intervals without swaps are left out; nothing is ' +
    'carried over from the interval before. A page covers `limit` intervals, including empty ones, but at most 90 ' +
    'days; with several tokens, `limit` divided by their number. ' +
    "A token's prices are medians over its pools; a pool's or pair's prices are those of its swaps " +
    '(docs/internals/candles.md). Candles are kept as long as swaps are.',
  maxAgeS: 1,
  failures: [404],
  headers: networkHeaders,
  filters: {
    network: networkParameter,
    token: tokensParameter('token', 'The tokens whose prices are shown', MAX_TOKENS),
    pool: poolParameter('pool', 'Only swaps of this pool').optional(),
    against: tokenParameter(
      'against',
      'Only swaps against this token (contract address or symbol), in all pools of the pair',
      'coin',
    ).optional(),
    interval: z.enum(NAMES, { error: INTERVAL_MESSAGE }),
    ...intervalTimes,
  },
  row: candle,
  at: intervalStart,
  order: 'desc',
} as const satisfies ListRoute
