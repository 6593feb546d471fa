import { type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter, emptyDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'

test.each<[string, (store: IndexerStore) => Promise<unknown>]>([
  ['a template', (store) => store.networkRow()],
  ['the typed API', (store) => store.reorgableBlocks()],
])('an error of %s says what the database said, and nothing of our source', async (_, ask) => {
  const database = await openDatabase(await emptyDatabase(), { applicationName: 'test' })
  closeAfter(() => database.close())
  await expect(ask(openIndexerStore(database, 'eth'))).rejects.toThrow(
    /^the database failed: (?!.*(invocation|\.ts)).*does not exist/s,
  )
})
