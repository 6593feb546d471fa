import { dateOfDay, dayOf, MINUTE } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS, lockDays, lockPartitions, lockRows } from '../database/locks.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { type Coverage, coverageGaps } from '../reading/coverage.ts'
import { readNetworks } from '../reading/networks.ts'
import { asStoreError, codeOf } from '../store-error.ts'
import { readTogether } from '../stored.ts'
import { deleteAlertsBefore } from '../tables/alert.ts'
import { deleteAwaitedValuesBefore } from '../tables/awaited-value.ts'
import { dropping, oldPartitions } from '../tables/day-partition.ts'
import { differingTotals, recountDayTotals } from '../tables/day-total.ts'
import { differingAddressCounts, differingTraders, recountDayTraders } from '../tables/day-trader.ts'
import { isKept, keptSince, setKeptSince } from '../tables/kept-days.ts'
import { markLakeDays, readFirstUnwrittenDay } from '../tables/lake-day.ts'
import { deleteLiquidityBefore } from '../tables/liquidity-event.ts'
import { deleteHoursBefore } from '../tables/liquidity-hour.ts'
import { firstRequiredDay, NETWORKS_BY_ID } from '../tables/network.ts'
import { differingHours, recountHours } from '../tables/rollups/hour-volume.ts'
import { differingPoolCandles, recountPoolCandles } from '../tables/rollups/pool-candle.ts'
import { differingTokenFlows, recountTokenFlows } from '../tables/rollups/token-flow.ts'
import { differingTokenVolumes, recountTokenVolumes } from '../tables/rollups/token-volume.ts'
import { building, type MissingIndex, missingSearchIndexes } from '../tables/swap/search-index.ts'
import { deleteTokenMovesBefore } from '../tables/token-move.ts'

// Dropping and indexing bypass Prisma, because a partition is detached, and an index built, concurrently: outside any
// transaction and under a session lock.

const LOCK_NOT_AVAILABLE = '55P03'
/** Waiting for a lock blocks no other process, but a hanging transaction must not block this one forever. */
const DROP_SESSION = '-c lock_timeout=5s'

/** Days are in days since 1970 (UTC); `unwritten` is the oldest day that should be in the lake, but is not. */
interface LakeRetention {
  firstToKeep(unwritten: number | null): number
  /** Called once the days from `unwritten` on, up to `kept`, are given up, even if they cannot be dropped yet. */
  onLost(unwritten: number, kept: number): void
}

/**
 * `day` is in days since 1970 (UTC). Keeps days that a network still requires, or that the lake lacks by now, and leaves
 * a partition that cannot be locked within seconds to the next call. Returns the names of the dropped partitions.
 */
export async function dropDaysBefore(
  database: Database,
  day: number,
  lake: LakeRetention | null = null,
): Promise<string[]> {
  const client = await database.connect('dexfeed retention', DROP_SESSION)
  const dropped: string[] = []
  try {
    await client.query('SELECT pg_advisory_lock($1, 0)', [ADVISORY_LOCKS.partitions])
    const first = await moveKeptSince(database, day, lake)
    for (const partition of await oldPartitions(database.prisma, first)) {
      for (const statement of dropping(partition)) await client.query(statement)
      dropped.push(partition.name)
    }
    // Last, because every transaction that wrote to these days before they were dropped has ended by now.
    await deleteTokenMovesBefore(database.prisma, first)
    await deleteLiquidityBefore(database.prisma, first)
    await deleteHoursBefore(database.prisma, first)
    await deleteAwaitedValuesBefore(database.prisma, first)
    await deleteAlertsBefore(database.prisma, first)
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw asStoreError(error)
  } finally {
    await client.end().catch(() => {})
  }
  return dropped
}

/**
 * Returns the first day to keep. A transaction that repairs an older day must end before that day counts as written to
 * the lake, so the rows of all networks are locked, but only if there is a day to drop.
 */
async function moveKeptSince(database: Database, day: number, lake: LakeRetention | null): Promise<number> {
  const firstOf = async (db: Db) => {
    const unwritten = lake === null ? null : await readFirstUnwrittenDay(db)
    const wanted = Math.min(day, lake?.firstToKeep(unwritten) ?? day)
    return { unwritten, first: Math.min(wanted, (await firstRequiredDay(db)) ?? wanted) }
  }
  const { first } = await firstOf(database.prisma)
  const since = await keptSince(database.prisma)
  // Days that were not wholly dropped before are dropped even if they would be kept now.
  if (since !== null && since >= first) return since
  const moved = await inTransaction(database, async (tx) => {
    for (const chainId of CHAIN_IDS) await lockRows(tx, chainId, 'exclusive')
    const found = await firstOf(tx)
    await setKeptSince(tx, found.first)
    return found
  })
  if (moved.unwritten !== null && moved.unwritten < moved.first) lake?.onLost(moved.unwritten, moved.first)
  return moved.first
}

/** Uses one core: followers and readers need the others. */
const INDEX_SESSION = '-c max_parallel_maintenance_workers=0'
/** A day that receives no rows for this long is not being filled, even if some of its blocks are missing. */
const QUIET_MS = 5 * MINUTE

/**
 * Returns a function that builds missing search indexes, newest day first, unless another process does, and returns
 * their names. A day is indexed once no network lacks blocks of it, or once it has received no rows for some minutes.
 * If the signal aborts, a later call rebuilds the half-built index. If an index cannot be built, the others are built
 * before the function throws.
 */
export function searchIndexBuilder(database: Database, quietMs = QUIET_MS): (signal: AbortSignal) => Promise<string[]> {
  const quiet = quietDays(quietMs)
  const ready = async () => {
    const missing = await missingSearchIndexes(database.prisma)
    const isQuiet = quiet(missing)
    if (missing.length === 0) return []
    const networks = await readNetworks(database.prisma)
    return missing.filter(({ day }) => isQuiet.has(day) || networks.every((network) => !lacksBlocksOf(network, day)))
  }
  return async (signal) => {
    if ((await ready()).length === 0) return []
    const client = await database.connect('dexfeed indexes', INDEX_SESSION)
    const leave = () => client.end().catch(() => {})
    signal.addEventListener('abort', leave, { once: true })
    const built: string[] = []
    const failures: unknown[] = []
    try {
      const locked = await client.query('SELECT pg_try_advisory_lock($1, 0) AS is', [ADVISORY_LOCKS.searchIndexes])
      for (const index of locked.rows[0]?.is === true ? await ready() : []) {
        if (signal.aborted) break
        try {
          for (const statement of building(index)) await client.query(statement)
          built.push(index.name)
        } catch (error) {
          failures.push(error)
        }
      }
    } finally {
      signal.removeEventListener('abort', leave)
      await leave()
    }
    if (failures.length > 0 && !signal.aborted) throw asStoreError(failures[0])
    return built
  }
}

function quietDays(quietMs: number): (missing: readonly MissingIndex[]) => ReadonlySet<number> {
  const seen = new Map<number, { received: number; since: number }>()
  return (missing) => {
    const now = performance.now()
    for (const { day, received } of missing) {
      if (seen.get(day)?.received !== received) seen.set(day, { received, since: now })
    }
    return new Set([...seen].filter(([, { since }]) => now - since >= quietMs).map(([day]) => day))
  }
}

/**
 * A network without a head lacks no blocks: otherwise one network that is down would leave each new day without
 * indexes.
 */
export function lacksBlocksOf(network: Coverage, day: number): boolean {
  const { start, head, covered } = network
  if (start === null || head === null) return false
  return coverageGaps(network).some(({ from, to }) => {
    const before = covered.findLast((range) => range.to < from)?.toTime ?? start.timestamp
    const after = covered.find((range) => range.from > to)?.fromTime ?? head.timestamp
    return dayOf(before) <= day && day <= dayOf(after)
  })
}

const CHAIN_IDS = NETWORKS_BY_ID.map(({ chainId }) => chainId)

const TABLES = [
  'day_total',
  'day_trader',
  'day_address_count',
  'hour_volume',
  'pool_candle',
  'token_volume',
  'token_flow',
] as const

export interface DayDifference {
  day: string
  table: (typeof TABLES)[number]
  key: string
  stored: string | null
  counted: string | null
}

const MANY = 1_000

/** Compares all networks in one snapshot. A day (since 1970, UTC) whose rows are no longer kept has no differences. */
export async function compareDay(db: Db, day: number): Promise<DayDifference[]> {
  const date = dateOfDay(day)
  const wasKept = await isKept(db, day)
  const found = await readTogether<Record<DayDifference['table'], Omit<DayDifference, 'day' | 'table'>>>(db, {
    day_total: differingTotals(date),
    day_trader: differingTraders(date, MANY),
    day_address_count: differingAddressCounts(date),
    hour_volume: differingHours(date),
    pool_candle: differingPoolCandles(date, MANY),
    token_volume: differingTokenVolumes(date, MANY),
    token_flow: differingTokenFlows(date, MANY),
  })
  // Checked again, because the rows may have been dropped meanwhile, or the day restored.
  if (!wasKept || !(await isKept(db, day))) return []
  return TABLES.flatMap((table) => found[table].map((row) => ({ day: date, table, ...row })))
}

/**
 * Under the day's lock, every transaction that moved the day's counters has committed, and no rows of later ones are
 * visible yet. Commits write candles before they take that lock, so the rows of every network are locked first.
 */
export async function recountDay(database: Database, day: number): Promise<void> {
  const date = dateOfDay(day)
  await inTransaction(database, async (tx) => {
    await lockPartitions(tx)
    if (!(await isKept(tx, day))) return
    for (const chainId of CHAIN_IDS) await lockRows(tx, chainId, 'exclusive')
    await lockDays(tx, [day], 'exclusive')
    await recountDayTotals(tx, date)
    await recountDayTraders(tx, date)
    await recountHours(tx, date)
    await recountPoolCandles(tx, date)
    await recountTokenVolumes(tx, date)
    await recountTokenFlows(tx, date)
    await markLakeDays(tx, CHAIN_IDS, [day])
  })
}
