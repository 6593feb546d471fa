import type { BlockHeader, NetworkName, PricedTrade } from '@dexfeed/dex'
import {
  type Database,
  type HeadCommit,
  type HistoryCommit,
  type IndexerStore,
  type LiveCommit,
  openIndexerStore,
  type WriterLease,
} from '@dexfeed/store'
import { beforeAll, beforeEach } from 'vitest'
import { emptyTables } from './empty-tables.ts'
import { emptyStore, filling, following, openTestDatabase, startWriter } from './sample.ts'

// The setup of most test files. Importers see each new value of these variables.
export let database: Database
export let store: IndexerStore
export let lease: WriterLease

export function openForFile(max: number): void {
  beforeAll(async () => {
    database = await openTestDatabase(max)
  })
}

/** Opens a database for the tests of a file, and empties it before each of them. */
export function useDatabase(max: number): void {
  openForFile(max)
  beforeEach(() => emptyTables(database.pool))
}

let begin: () => Promise<void>

/**
 * Opens a database; before each test, opens a network's store and acquires its lease. Blocks up to `final` are final.
 */
export function useStore(name: NetworkName, max: number, final?: number): void {
  openForFile(max)
  begin = async () => {
    ;({ store, lease } = await emptyStore(database, name))
    if (final !== undefined) await store.noteFinal(lease.epoch, final)
  }
  beforeEach(begin)
}

/** Starts again without rows, within a test. */
export async function startOver(): Promise<void> {
  await lease.release()
  await begin()
}

/** Commits blocks as the follower. */
export function follow(
  blocks: readonly BlockHeader[],
  trades: readonly PricedTrade[] = [],
  live: Partial<LiveCommit> = {},
  over: Partial<HeadCommit> = {},
): Promise<void> {
  return store.commitHead({ ...following(lease.epoch, blocks, trades, live), ...over })
}

/** Commits a range of history. */
export function fill(
  from: number,
  to: number,
  trades: readonly PricedTrade[] = [],
  over: Partial<HistoryCommit> = {},
): Promise<void> {
  return store.commitHistory({ ...filling(from, to, trades), ...over })
}

export async function rows(sql: string, parameters: unknown[] = []) {
  return (await database.pool.query(sql, parameters)).rows
}

/** Resolves when `work` waits for another session's lock; throws if it ends without waiting. */
export async function waiting(work: Promise<unknown>, sessions = 1): Promise<void> {
  let ended = false
  const end = () => {
    ended = true
  }
  void work.then(end, end)
  const blocked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while ((await rows(blocked)).length < sessions) if (ended) throw new Error('it did not wait')
}

/** A database whose nth transaction from now on begins only after `work`. */
export function afterWork(nth: number, work: () => Promise<unknown>): Database {
  let begun = 0
  const prisma = new Proxy(database.prisma, {
    get(target, key) {
      if (key !== '$transaction') return Reflect.get(target, key)
      return async (...args: Parameters<typeof target.$transaction>) => {
        if (++begun === nth) await work()
        return target.$transaction(...args)
      }
    },
  })
  return { ...database, prisma }
}

export const FOLLOWED = ['bsc', 'polygon'] as const
export type Followed = (typeof FOLLOWED)[number]

/** Returns the stores of two networks in a database without rows, and their leases. */
export async function startFollowed(database: Database) {
  const stores = { bsc: openIndexerStore(database, 'bsc'), polygon: openIndexerStore(database, 'polygon') }
  return {
    stores,
    leases: { bsc: await startWriter(stores.bsc, 'bsc'), polygon: await startWriter(stores.polygon, 'polygon') },
  }
}
