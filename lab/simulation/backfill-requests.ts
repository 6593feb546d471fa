import type { JobQueue } from '@dexfeed/indexer/job-queue'
import { openQueue } from '@dexfeed/indexer/queue'
import { requestBackfill } from '@dexfeed/indexer/request-backfill'
import { type Database, openIndexerStore } from '@dexfeed/store'
import type { SimulatedNetwork } from './simulated-network.ts'

export interface BackfillRequests {
  /** @throws if the database fails */
  request(blocks: number): Promise<void>
  /** Counts the jobs that a worker holds, even a dead one. */
  taken(): Promise<number>
  close(): Promise<void>
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

export async function backfillRequests(
  { network, chain, startBlock }: SimulatedNetwork,
  databaseUrl: string,
  database: Database,
): Promise<BackfillRequests> {
  const store = openIndexerStore(database, network)
  const queue: JobQueue = await openQueue({ redisUrl: null, databaseUrl }, network, quiet)
  let first = startBlock
  return {
    async request(blocks) {
      const to = first - 1
      const from = Math.max(0, first - blocks)
      const block = chain.blocks[from]
      if (to < from || block === undefined) return
      await store.lowerStart({ number: from, timestamp: block.timestamp })
      first = from
      await requestBackfill({ network, range: { from, to }, store, queue })
    },
    taken: async () => (await queue.open()).filter((job) => job.taken).length,
    close: () => queue.close(),
  }
}
