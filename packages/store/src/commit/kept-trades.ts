import { dayOf, type PricedTrade } from '@dexfeed/dex'
import type { Pool } from 'pg'
import { countDays, type DayCounts } from './day-counts.ts'
import { ensureDayPartitions } from './ensure-day-partitions.ts'

const NO_PARTITION = /no partition of relation/

/**
 * Runs `work` with the trades whose days are kept, the partitions of which are there, and with what they count. Trades
 * of a day whose rows were dropped are left out: its totals stay what they are.
 */
export async function withKeptTrades(
  pool: Pool,
  trades: readonly PricedTrade[],
  work: (trades: readonly PricedTrade[], added: DayCounts) => Promise<void>,
): Promise<void> {
  const counted = countDays(trades)
  const days = counted.totals.map(({ day }) => day)
  for (let isRepeated = false; ; isRepeated = true) {
    const kept = await ensureDayPartitions(pool, days)
    try {
      if (kept.length === days.length) return await work(trades, counted)
      const ofKeptDays = trades.filter(({ timestamp }) => kept.includes(dayOf(timestamp)))
      return await work(ofKeptDays, countDays(ofKeptDays))
    } catch (error) {
      // A day was dropped between the two: it is left out now.
      if (isRepeated || !(error instanceof Error && NO_PARTITION.test(error.message))) throw error
    }
  }
}
