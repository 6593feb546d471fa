import { dayOf } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { type Coverage, coverageGaps } from '../reading/coverage.ts'
import { readNetworks } from '../reading/networks.ts'
import { asStoreError } from '../store-error.ts'
import { building, type MissingIndex, missingSearchIndexes } from '../tables/swap/search-index.ts'

// Past Prisma: an index is built concurrently, outside any transaction, by a session that keeps others from building.

/** One core of the server is enough: heads and readers need the others. */
const SESSION = '-c max_parallel_maintenance_workers=0'

/**
 * Builds the missing search indexes of complete days, the newest day first, unless another process does. Writers and
 * readers continue meanwhile. When `signal` aborts, the connection is closed: the server may finish the index, and
 * what it does not finish is built again.
 *
 * @returns the names of the built indexes
 */
export async function buildSearchIndexes(database: Database, signal: AbortSignal): Promise<string[]> {
  if ((await missingOfComplete(database)).length === 0) return []
  const client = await database.connect('dexfeed indexes', SESSION)
  const leave = () => client.end().catch(() => {})
  signal.addEventListener('abort', leave, { once: true })
  const built: string[] = []
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1, 0) AS locked', [ADVISORY_LOCKS.searchIndexes])
    if (rows[0]?.locked !== true) return []
    // Another process may have built some before this one had the lock.
    for (const index of await missingOfComplete(database)) {
      for (const statement of building(index)) await client.query(statement)
      built.push(index.name)
    }
  } catch (error) {
    if (!signal.aborted) throw asStoreError(error)
  } finally {
    signal.removeEventListener('abort', leave)
    await leave()
  }
  return built
}

async function missingOfComplete({ prisma }: Database): Promise<MissingIndex[]> {
  const missing = await missingSearchIndexes(prisma)
  if (missing.length === 0) return []
  const networks = await readNetworks(prisma)
  return missing.filter(({ day }) => networks.every((network) => !lacksBlocksOf(network, day)))
}

/** Returns whether blocks of the day (since 1970, UTC) may be missing between the network's start and its head. */
export function lacksBlocksOf(network: Coverage, day: number): boolean {
  const { start, head, covered } = network
  return coverageGaps(network).some(({ from, to }) => {
    const before = covered.findLast((range) => range.to < from)?.toTime ?? start?.timestamp ?? 0
    const after = covered.find((range) => range.from > to)?.fromTime ?? head?.timestamp ?? Number.POSITIVE_INFINITY
    return dayOf(before) <= day && day <= dayOf(after)
  })
}
