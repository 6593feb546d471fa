import { dayOf, MINUTE } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { type Coverage, coverageGaps } from '../reading/coverage.ts'
import { readNetworks } from '../reading/networks.ts'
import { asStoreError } from '../store-error.ts'
import { building, type MissingIndex, missingSearchIndexes } from '../tables/swap/search-index.ts'

// Bypasses Prisma, because an index is built concurrently, outside any transaction.

/** Uses one core: followers and readers need the others. */
const SESSION = '-c max_parallel_maintenance_workers=0'
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
    const client = await database.connect('dexfeed indexes', SESSION)
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
