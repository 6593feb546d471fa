import { MINUTE, SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'

const POLL_MS = 10 * SECOND

export interface SearchIndexOptions {
  store: Pick<IndexerStore, 'buildSearchIndexes'>
  log: IndexerLog
  clock?: LoopClock
}

/** Builds the indexes that only searches need, once their day is filled. */
export async function buildSearchIndexes({ store, log, clock }: SearchIndexOptions, ended: AbortSignal): Promise<void> {
  const step = async () => {
    const built = await store.buildSearchIndexes(ended)
    if (built.length > 0) log.info({ built }, 'search indexes of filled days were built')
    return POLL_MS
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'search indexes could not be built, trying again')
  await repeatStep({ ended, longestPauseMs: MINUTE, clock }, step, onFailure)
}
