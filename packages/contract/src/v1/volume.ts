import { z } from 'zod'
import { choiceParameter, networkParameter, tokenParameter } from '../parameters.ts'
import { orNull, usdText } from '../response-texts.ts'
import { intervalHeaders, intervalStart, intervalTimes, poolParameter, protocolParameter } from './parameters.ts'
import type { ListRoute } from './route.ts'

/** In seconds. */
export const VOLUME_INTERVALS = { '1h': 3_600, '1d': 86_400 } as const
const NAMES = Object.keys(VOLUME_INTERVALS) as (keyof typeof VOLUME_INTERVALS)[]

const volume = z
  .strictObject({
    time: z.iso.datetime().meta({ description: 'Start of the interval' }),
    volume_usd: usdText().meta({ description: 'Volume of the trades that have a value' }),
    trades: z.int().min(1).meta({
      description: 'Number of trades of the network; for a protocol, pool or token, the number of its swap events',
    }),
    unpriced_trades: z.int().min(0).meta({ description: 'How many of them have no known value' }),
    traders: orNull(z.int().min(0), 'Number of distinct addresses that signed trades; null if not counted'),
    traders_unknown: orNull(
      z.enum(['too-many-trades', 'not-kept']),
      'Why `traders` is null. `too-many-trades`: the network has more than 200,000 trades on the days of the page, so ' +
        'traders are counted only for whole days. `not-kept`: the rows were deleted',
    ),
  })
  .meta({ id: 'VolumeInterval' })

export const listVolume = {
  kind: 'list',
  operation: 'listVolume',
  path: '/v1/volume',
  summary: 'Trades, traders and volume per hour or day, for a network, a protocol, a pool or a token',
  description:
    'Hours and days are UTC; those without trades are left out. A network counts each trade once. A protocol, pool or ' +
    'token counts swap events, so a trade through three pools counts in each of them, and for each token that a pool ' +
    'received or paid out. A page covers `limit` intervals, but at most 90 days for a pool or a token. Days that are no ' +
    'longer kept are read from the lake if there is one (docs/guide/lake.md).',
  maxAgeS: 1,
  failures: [404],
  headers: intervalHeaders,
  filters: {
    network: networkParameter,
    interval: choiceParameter('interval', NAMES),
    protocol: protocolParameter('protocol').optional(),
    pool: poolParameter('pool', 'Only swaps of this pool').optional(),
    token: tokenParameter(
      'token',
      'Only swaps of this token (contract address or symbol), in all pools; the coin counts as its wrapper',
      'coin',
    ).optional(),
    ...intervalTimes,
  },
  row: volume,
  at: intervalStart,
  order: 'desc',
} as const satisfies ListRoute
