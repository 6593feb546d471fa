import { testDatabase } from '@dexfeed/test-setup'
import { type RunOptions, runIndexer } from './run-indexer.ts'
import { dumpTables } from './table-dump.ts'

/** The tables that an indexer leaves of a chain to whom nothing happens. @param head up to which it is indexed */
export async function plainTables(
  onChain: Pick<RunOptions, 'network' | 'rpcUrl' | 'deployment'>,
  head: { number: number; hash: string },
): Promise<Record<string, string[]>> {
  const databaseUrl = await testDatabase()
  const indexer = await runIndexer({ databaseUrl, ...onChain })
  await indexer.caughtUp(head)
  await indexer.stop()
  return dumpTables(databaseUrl)
}
