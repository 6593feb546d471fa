import { type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter, emptyDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'

test.each<[string, (store: IndexerStore) => Promise<unknown>]>([
  ['a template', (store) => store.networkRow()],
  ['the typed API', (store) => store.reorgableBlocks()],
])('an error of %s holds the message of the database, and nothing of our source', async (_, call) => {
  const database = await openDatabase(await emptyDatabase(), { applicationName: 'test' })
  closeAfter(() => database.close())
  await expect(call(openIndexerStore(database, 'eth'))).rejects.toThrow(
    /^the database failed: (?!.*(invocation|\.ts)).*does not exist/s,
  )
})
