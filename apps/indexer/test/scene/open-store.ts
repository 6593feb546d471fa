import type { NetworkName } from '@dexfeed/dex'
import { type Database, type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'

/** Opens an indexer's store on a database. It is closed at the end of the test, or of the file if a hook opened it. */
export async function openStore(
  databaseUrl: string,
  network: NetworkName = 'eth',
): Promise<{ database: Database; store: IndexerStore }> {
  const database = await openDatabase(databaseUrl, { applicationName: 'test' })
  closeAfter(() => database.close())
  return { database, store: openIndexerStore(database, network) }
}
