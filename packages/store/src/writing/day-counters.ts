import { type BlockRange, dayOf, type PricedTrade } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { type LockMode, lockDays } from '../database/locks.ts'
import { type Db, lacksPartition } from '../database/transaction.ts'
import { DaysRestored } from '../store-error.ts'
import { deleteAwaitedValues } from '../tables/awaited-value.ts'
import { countDays, type DayCounts, type HourCount, NO_COUNTS, type TraderOfDay } from '../tables/day-counts.ts'
import { ensureDayPartitions } from '../tables/day-partition.ts'
import { addDayTotals, deleteEmptyDayTotals, subtractDayTotals } from '../tables/day-total.ts'
import { addDayTraders, subtractDayTraders, tradersWithoutTrades } from '../tables/day-trader.ts'
import { isKept, keptSince } from '../tables/kept-days.ts'
import { deleteLiquidity } from '../tables/liquidity-event.ts'
import type { NetworkKey } from '../tables/network.ts'
import { addHourVolumes, countGoneHours, subtractHourVolumes } from '../tables/rollups/hour-volume.ts'
import { removeTokenFlows } from '../tables/rollups/token-flow.ts'
import { deleteSwaps } from '../tables/swap/swap.ts'
import { deleteHops, hopsOfBlocks } from '../tables/swap/swap-hop.ts'
import { deleteTokenMoves } from '../tables/token-move.ts'
import { remakeCandles } from './roll-up-hops.ts'

export interface KeptTrades {
  trades: readonly PricedTrade[]
  added: DayCounts
  /** Days (since 1970, UTC) whose trades were left out; see `checkLeftOut`. */
  leftOut: readonly number[]
}

/**
 * Runs `work` with the trades of kept days, after creating the partitions of these days. Leaves out trades of dropped
 * days, whose totals stay as they are.
 */
export async function withKeptTrades(
  database: Database,
  trades: readonly PricedTrade[],
  work: (kept: KeptTrades) => Promise<void>,
): Promise<void> {
  const counted = countDays(trades)
  const days = counted.totals.map(({ day }) => day)
  for (let isRepeated = false; ; isRepeated = true) {
    const kept = await ensureDayPartitions(database, days)
    try {
      if (kept.length === days.length) return await work({ trades, added: counted, leftOut: [] })
      const ofKeptDays = trades.filter(({ timestamp }) => kept.includes(dayOf(timestamp)))
      const leftOut = days.filter((day) => !kept.includes(day))
      return await work({ trades: ofKeptDays, added: countDays(ofKeptDays), leftOut })
    } catch (error) {
      // A day was dropped or restored in between.
      if (isRepeated || !(lacksPartition(error) || error instanceof DaysRestored)) throw error
    }
  }
}

/**
 * Throws DaysRestored if a day whose trades were left out is kept by now. The caller has locked the network's rows, so
 * the day is not restored before its transaction ends.
 */
export async function checkLeftOut(tx: Db, leftOut: readonly number[]): Promise<void> {
  for (const day of leftOut) if (await isKept(tx, day)) throw new DaysRestored()
}

/**
 * Deletes trades and what depends on them, and recomputes the candles that contained them. The caller holds the
 * network's rows exclusively. Returns what to subtract from the counters of the trades' days.
 */
export async function deleteTrades(tx: Db, chainId: number, range: BlockRange): Promise<DayCounts> {
  await deleteAwaitedValues(tx, chainId, range)
  await deleteTokenMoves(tx, chainId, range)
  await deleteLiquidity(tx, chainId, range)
  await removeTokenFlows(tx, hopsOfBlocks(chainId, range))
  const goneHops = await deleteHops(tx, chainId, range)
  const counts = await deleteSwaps(tx, chainId, range)
  await remakeCandles(tx, chainId, goneHops, range)
  const ofHops = await countGoneHours(tx, chainId, goneHops.volumes)
  const since = await keptSince(tx)
  // A dropped day loses its trades before its hops. Once its trades are gone, nothing is subtracted for the day.
  const isCounted = ({ hour }: HourCount) =>
    since === null || dayOf(hour) >= since || counts.totals.some(({ day }) => day === dayOf(hour))
  return { ...counts, hours: [...counts.hours, ...ofHops.filter(isCounted)] }
}

/**
 * Moves the counters of traders first and those of days last, because most other commits wait for the latter. The added
 * trades are already written.
 */
export async function moveCounters(
  tx: Db,
  network: NetworkKey,
  mode: LockMode,
  { gone = NO_COUNTS, added = NO_COUNTS }: { gone?: DayCounts; added?: DayCounts },
): Promise<void> {
  const { chainId } = network
  const goneDays = gone.totals.map(({ day }) => day)
  const keyOf = ({ day, trader }: TraderOfDay) => `${day} ${trader}`
  const trading = new Set(added.traders.map(keyOf))
  // Before the days are locked, because this can read a whole day.
  const left = gone.traders.filter((trader) => !trading.has(keyOf(trader)))
  const goneTraders = await tradersWithoutTrades(tx, network, left)
  await lockDays(tx, [...goneDays, ...added.totals.map(({ day }) => day)], mode)
  await subtractDayTraders(tx, network, goneTraders)
  await addDayTraders(tx, network, added.traders)
  await addHourVolumes(tx, chainId, added.hours)
  await subtractHourVolumes(tx, chainId, gone.hours)
  await subtractDayTotals(tx, chainId, gone.totals)
  await addDayTotals(tx, chainId, added.totals)
  await deleteEmptyDayTotals(tx, chainId, goneDays)
}
