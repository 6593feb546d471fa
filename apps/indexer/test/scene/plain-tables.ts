import { testDatabase } from '@dexfeed/test-setup'
import { type RunOptions, runIndexer } from './run-indexer.ts'
import { dumpTables } from './table-dump.ts'

/** Returns the tables that an indexer makes of a chain without faults. @param head the last block to index */
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
