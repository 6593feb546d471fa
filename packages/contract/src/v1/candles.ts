import { z } from 'zod'
import { choiceParameter, flagParameter, networkParameter, tokenParameter, tokensParameter } from '../parameters.ts'
import { addressText, decimalText, orNull, usdText } from '../response-texts.ts'
import { flowSums } from './catalog/catalog.ts'
import { intervalHeaders, intervalStart, intervalTimes, poolParameter } from './parameters.ts'
import type { ListRoute } from './route.ts'

/** In seconds. */
export const CANDLE_INTERVALS = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
  '1w': 604_800,
} as const
const NAMES = Object.keys(CANDLE_INTERVALS) as (keyof typeof CANDLE_INTERVALS)[]

export const candleInterval = choiceParameter('interval', NAMES)

const price = (what: string) =>
  orNull(decimalText(), `${what} of a whole token, in USD or in the quote token (\`currency\`); null if unknown`)

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
    swaps: z.int().min(0).meta({ description: 'Number of swap events of pools; 0 only with `fill`' }),
    unpriced_swaps: z.int().min(0).meta({ description: 'How many of them have no known value' }),
    ...flowSums,
    filled: z.boolean().meta({ description: 'Whether the prices are the close of an earlier candle (`fill`)' }),
  })
  .meta({ id: 'Candle' })

export const listCandles = {
  kind: 'list',
  operation: 'listCandles',
  path: '/v1/candles',
  summary: 'Open, high, low, close and volume of tokens, over all their pools, in one pool, or against another token',
  description:
    'Intervals begin at multiples of their length in a day (UTC), weeks on Monday 00:00. Intervals without swaps are left out, unless ' +
    '`fill` is given. A page covers `limit` intervals, including empty ones, but at most 90 days; with several ' +
    'tokens, `limit` divided by their number. `X-Interval-Span` says which. ' +
    " A token's prices are medians over its pools; a pool's or pair's prices are those of its swaps " +
    '(docs/internals/candles.md). Candles are kept as long as swaps are; older ones are read from the lake if there is one ' +
    '(docs/guide/lake.md).',
  maxAgeS: 1,
  failures: [404],
  headers: intervalHeaders.extend({
    'X-Interval-Span': z.string().meta({
      description: 'Begin and end of the intervals that the page covers',
      example: '2026-11-20T00:00:00.000Z/2026-11-21T00:00:00.000Z',
    }),
  }),
  filters: {
    network: networkParameter,
    token: tokensParameter(
      'token',
      'The tokens whose prices are shown; default: the `base_token` of `pool`',
      MAX_TOKENS,
    ).optional(),
    pool: poolParameter('pool', 'Only swaps of this pool').optional(),
    against: tokenParameter(
      'against',
      'Only swaps against this token (contract address or symbol), in all pools of the pair',
      'coin',
    ).optional(),
    interval: candleInterval,
    currency: choiceParameter('currency', ['usd', 'quote'], 'usd or quote')
      .optional()
      .meta({
        description:
          'Currency of the prices; default `usd`. `quote`: the other token of `pool`, or `against`. Open and close are then ' +
          'exact; high is at most, and low at least, what the swaps reached, by what the quote token moved in USD within ' +
          'a minute. The volume remains in USD.',
      }),
    fill: flagParameter(
      'fill',
      'Whether intervals whose swaps set no price get the last close before them as their prices (`filled`). ' +
        'Intervals before the first price, and empty ones that are not indexed, are still left out.',
    ),
    ...intervalTimes,
  },
  row: candle,
  at: intervalStart,
  order: 'desc',
} as const satisfies ListRoute
