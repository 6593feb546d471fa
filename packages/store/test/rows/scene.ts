import type { NetworkName } from '@dexfeed/dex'
import { type Database, type IndexerStore, openIndexerStore, type WriterLease } from '@dexfeed/store'
import { beforeAll, beforeEach } from 'vitest'
import { emptyTables } from './empty-tables.ts'
import { emptyStore, openTestDatabase, startWriter } from './sample.ts'

// What most test files begin with. Their imports see each new value of these variables.
export let database: Database
export let store: IndexerStore
export let lease: WriterLease

/** Opens a database for the tests of a file. */
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

/** Opens a database, too, and before each test a network's store with its writer; blocks up to `final` are final. */
export function useStore(name: NetworkName, max: number, final?: number): void {
  openForFile(max)
  beforeEach(async () => {
    ;({ store, lease } = await emptyStore(database, name))
    if (final !== undefined) await store.noteFinal(lease.epoch, final)
  })
}

export const FOLLOWED = ['bsc', 'polygon'] as const
export type Followed = (typeof FOLLOWED)[number]

/** Returns the stores of two networks in a database without rows, and their writers. */
export async function startFollowed(database: Database) {
  const stores = { bsc: openIndexerStore(database, 'bsc'), polygon: openIndexerStore(database, 'polygon') }
  return {
    stores,
    leases: { bsc: await startWriter(stores.bsc, 'bsc'), polygon: await startWriter(stores.polygon, 'polygon') },
  }
}
