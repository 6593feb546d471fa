import { z } from 'zod'
import { NETWORK_VALUES } from '../network-parameter.ts'
import { poolText, usdText } from '../response-texts.ts'
import type { ReadRoute } from './route.ts'

const washFlag = z.enum(['round-trips', 'few-traders', 'matched-amounts'])

const washPool = z
  .strictObject({
    date: z.iso.date(),
    network: z.enum(NETWORK_VALUES),
    pool: poolText().meta({
      description: 'The pool. For orders of settlements that no pool filled: their two tokens, one after the other',
    }),
    swaps: z.int().min(0),
    traders: z.int().min(0),
    trade_volume_usd: usdText(),
    round_trip_volume_usd: usdText().meta({ description: 'By addresses that reversed their own trades' }),
    top_traders_volume_usd: usdText().meta({ description: 'By the busiest addresses' }),
    matched_volume_usd: usdText().meta({ description: 'In amounts that one address bought and another sold' }),
    flags: z.array(washFlag).min(1),
  })
  .meta({ id: 'WashPool' })

const washDay = z
  .strictObject({
    date: z.iso.date(),
    network: z.enum(NETWORK_VALUES),
    trade_volume_usd: usdText().meta({ description: 'Of all pools of the network on that day' }),
    flagged_volume_usd: usdText().meta({ description: 'Of trades that pass a flagged pool; a part of the same total' }),
    flagged_pools: z.int().min(0),
  })
  .meta({ id: 'WashDay' })

const washFlags = z
  .strictObject({
    days: z.array(washDay).meta({ description: 'The judged days: over, final and indexed as a whole' }),
    pools: z.array(washPool).meta({ description: 'Newest day first, then by volume; at most 1,000' }),
  })
  .meta({ id: 'WashFlags' })

export const listWashFlags = {
  kind: 'read',
  operation: 'listWashFlags',
  path: '/v1/wash_flags',
  summary: 'Pools with marks of wash trading, on the days of `/api/trade_volume_usd_7d`',
  description: 'Flagged trades stay in every list and total. Days that are not over and final are not judged yet.',
  maxAgeS: 60,
  failures: [],
  request: {},
  body: washFlags,
} as const satisfies ReadRoute
