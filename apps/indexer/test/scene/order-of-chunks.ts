import { setTimeout as delay } from 'node:timers/promises'
import { type Chain, openChain } from '@dexfeed/chain'
import type { Random } from '@dexfeed/devnet'
import type { BlockRange } from '@dexfeed/dex'
import { shuffled } from '@dexfeed/lab'
import { openDatabase, openIndexerStore, StoreError } from '@dexfeed/store'
import { connectTo } from '@dexfeed/test-setup'
import { backfillRange } from '../../src/backfill/backfill-range.ts'
import { openNetworkContext } from '../../src/blocks/network-context.ts'
import { watchedTopics } from '../../src/blocks/process-blocks.ts'
import { quiet } from './made-values.ts'
import type { RunOptions } from './run-indexer.ts'

export type Order = 'forwards' | 'backwards' | 'shuffled'

/** Cuts a range into pieces of random size. Some pieces come twice, alone or joined with their neighbours. */
export function randomChunks(to: number, order: Order, random: Random): BlockRange[] {
  const chunks: BlockRange[] = []
  for (let from = 0; from <= to; ) {
    const last = Math.min(to, from + random.integer(random.next() < 0.3 ? 60 : 9))
    chunks.push({ from, to: last })
    if (random.next() < 0.2) chunks.push({ from: Math.max(0, from - random.integer(20)), to: last })
    from = last + 1
  }
  if (order === 'shuffled') return shuffled(chunks, random)
  return order === 'forwards' ? chunks : chunks.reverse()
}

export interface ChunkWork {
  options: RunOptions
  chunks: readonly BlockRange[]
  workers: number
  /** Cuts the workers' connections at random moments, even in the middle of commits. */
  cuts: Random | null
}

const NAME = 'test-chunk-worker'

/** Works on chunks one after the other. Each worker has its own connections and memory. */
export async function workOnChunks({ options, chunks, workers, cuts }: ChunkWork): Promise<{ cut: number }> {
  const left = [...chunks]
  const working = Array.from({ length: workers }, () => work(options, left))
  let over = false
  const cutting = cuts === null ? Promise.resolve(0) : cutConnections(options.databaseUrl, cuts, () => over)
  const settled = await Promise.allSettled(working)
  over = true
  const cut = await cutting
  for (const result of settled) if (result.status === 'rejected') throw result.reason
  return { cut }
}

async function work({ databaseUrl, network, rpcUrl, deployment }: RunOptions, left: BlockRange[]): Promise<void> {
  const database = await openDatabase(databaseUrl, { applicationName: NAME, max: 3 })
  const store = openIndexerStore(database, network)
  const topics = watchedTopics(deployment)
  const chain: Chain = openChain({ network, urls: [rpcUrl], topics, pollMs: 1_000, log: quiet })
  const never = new AbortController().signal
  try {
    const context = await again(() => openNetworkContext(chain, store, deployment))
    const dependencies = { chain, store, context, log: quiet, onCommit: () => undefined }
    for (let chunk = left.shift(); chunk; chunk = left.shift()) {
      const range = chunk
      await again(() => backfillRange(dependencies, range, never))
    }
  } finally {
    await chain.close()
    await database.close()
  }
}

/** Repeats until it succeeds; other tests cover lost connections of the queue. */
async function again<T>(step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof StoreError && error.retryable)) throw error
    }
  }
}

async function cutConnections(databaseUrl: string, random: Random, isOver: () => boolean): Promise<number> {
  const client = await connectTo(databaseUrl)
  let cut = 0
  while (!isOver()) {
    // Cut connections that are in a transaction first.
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = $1 AND datname = current_database() AND (xact_start IS NOT NULL OR $2)`,
      [NAME, random.next() < 0.05],
    )
    cut += rowCount ?? 0
    // Cut less and less often, because otherwise no commit longer than the pauses would ever succeed.
    await delay(5 + random.integer(60 + 10 * cut))
  }
  await client.end()
  return cut
}
