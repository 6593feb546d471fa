import type { V1Handlers } from '@dexfeed/contract'
import { dateOfDay, dayOf } from '@dexfeed/dex'
import { WASH_FEW_TRADERS, WASH_MATCHED, WASH_ROUND_TRIPS } from '@dexfeed/store'
import type { V1Context } from './v1-context.ts'

const DAYS = 7
const MAX_POOLS = 1_000
const FLAGS = [
  [WASH_ROUND_TRIPS, 'round-trips'],
  [WASH_FEW_TRADERS, 'few-traders'],
  [WASH_MATCHED, 'matched-amounts'],
] as const

export function washFlags({ reader, now }: V1Context): V1Handlers['listWashFlags'] {
  return async () => {
    const { days, pools } = await reader.washFlags(dateOfDay(dayOf(now())), DAYS, MAX_POOLS)
    const body = {
      days: days.map(({ day, network, volumeUsd, flaggedVolumeUsd, flaggedPools }) => ({
        date: day,
        network,
        trade_volume_usd: volumeUsd,
        flagged_volume_usd: flaggedVolumeUsd,
        flagged_pools: flaggedPools,
      })),
      pools: pools.map((washPool) => ({
        date: washPool.day,
        network: washPool.network,
        pool: washPool.pool,
        swaps: washPool.swaps,
        traders: washPool.traders,
        trade_volume_usd: washPool.volumeUsd,
        round_trip_volume_usd: washPool.roundTripUsd,
        top_traders_volume_usd: washPool.topTradersUsd,
        matched_volume_usd: washPool.matchedUsd,
        flags: FLAGS.flatMap(([bit, name]) => ((washPool.flags & bit) === 0 ? [] : [name])),
      })),
    }
    return { body }
  }
}
