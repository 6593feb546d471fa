import { sceneDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { type RunOptions, runIndexer } from './run-indexer.ts'

type OnChain = Pick<RunOptions, 'network' | 'rpcUrl' | 'deployment'>

/**
 * Returns a database in which an indexer has indexed a scripted, fault-free chain up to its head. All tests with the same
 * chain share the database, because the head's hash identifies its content.
 */
export function indexedDatabase(onChain: OnChain, head: { number: number; hash: string }): Promise<string> {
  const { network, deployment } = onChain
  return sceneDatabase(`${network} ${head.hash} ${deployment.finalityDepth}`, async (databaseUrl) => {
    const indexer = await runIndexer({ ...onChain, databaseUrl })
    await indexer.caughtUp(head)
    await indexer.stop()
  })
}

export async function plainTables(
  onChain: OnChain,
  head: { number: number; hash: string },
): Promise<Record<string, string[]>> {
  return dumpTables(await indexedDatabase(onChain, head))
}
