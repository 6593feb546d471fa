import { type IndexerStore, openIndexerStore } from '@dexfeed/store'
import { emptyDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { open } from '../rows/sample.ts'

test.each<[string, (store: IndexerStore) => Promise<unknown>]>([
  ['a template', (store) => store.networkRow()],
  ['the typed API', (store) => store.reorgableBlocks()],
])('an error of %s holds the message of the database, and nothing of our source', async (_, call) => {
  const database = await open(await emptyDatabase())
  await expect(call(openIndexerStore(database, 'eth'))).rejects.toThrow(
    /^the database failed: (?!.*(invocation|\.ts)).*does not exist/s,
  )
})
