import { z } from 'zod'
import { NETWORK_VALUES } from '../parameters.ts'
import { poolText, usdText } from '../response-texts.ts'
import type { ReadRoute } from './route.ts'

const washFlag = z.enum(['round-trips', 'few-traders', 'matched-amounts'])

const washPool = z
  .strictObject({
    date: z.iso.date(),
    network: z.enum(NETWORK_VALUES),
    pool: poolText().meta({
      description:
        'The pool. For settlement orders that no pool filled, the addresses of their two tokens, one after the other',
    }),
    swaps: z.int().min(0),
    traders: z.int().min(0),
    trade_volume_usd: usdText(),
    round_trip_volume_usd: usdText().meta({ description: 'Volume of addresses that reversed their own trades' }),
    top_traders_volume_usd: usdText().meta({ description: 'Volume of the busiest addresses' }),
    matched_volume_usd: usdText().meta({ description: 'Volume in amounts that one address bought and another sold' }),
    flags: z.array(washFlag).min(1),
  })
  .meta({ id: 'WashPool' })

const washDay = z
  .strictObject({
    date: z.iso.date(),
    network: z.enum(NETWORK_VALUES),
    trade_volume_usd: usdText().meta({ description: 'Volume of all pools of the network on that day' }),
    flagged_volume_usd: usdText().meta({
      description: 'The part of `trade_volume_usd` in trades that went through a flagged pool',
    }),
    flagged_pools: z.int().min(0),
  })
  .meta({ id: 'WashDay' })

const washFlags = z
  .strictObject({
    days: z
      .array(washDay)
      .meta({ description: 'The days that have been checked: those that are over, final and fully indexed' }),
    pools: z.array(washPool).meta({ description: 'At most 1,000 pools, by newest day, then by volume' }),
  })
  .meta({ id: 'WashFlags' })

export const listWashFlags = {
  kind: 'read',
  operation: 'listWashFlags',
  path: '/v1/wash_flags',
  summary: 'Pools with signs of wash trading, on the days of `/api/trade_volume_usd_7d`',
  description: 'Flagged trades stay in every list and total. A day is checked once it is over and final.',
  maxAgeS: 60,
  failures: [],
  request: {},
  body: washFlags,
} as const satisfies ReadRoute
