import type { NetworkName } from '@dexfeed/dex'
import { type Database, type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'

/** Opens an indexer's store on a database, which ends with the test, or with the file if a hook opens it. */
export async function openStore(
  databaseUrl: string,
  network: NetworkName = 'eth',
): Promise<{ database: Database; store: IndexerStore }> {
  const database = await openDatabase(databaseUrl, { applicationName: 'test' })
  closeAfter(() => database.close())
  return { database, store: openIndexerStore(database, network) }
}
