import { MINUTE, SECOND } from '@dexfeed/dex'
import { type LoopContext, repeatStep } from '../loops/loop.ts'

const POLL_MS = 10 * SECOND

export interface SearchIndexOptions extends LoopContext {
  store: { buildSearchIndexes(signal: AbortSignal): Promise<readonly unknown[]> }
}

export async function buildSearchIndexes({ store, log, clock }: SearchIndexOptions, ended: AbortSignal): Promise<void> {
  const step = async () => {
    const built = await store.buildSearchIndexes(ended)
    if (built.length > 0) log.info({ built }, 'built the search indexes of days that are complete')
    return POLL_MS
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'search indexes could not be built, trying again')
  await repeatStep({ ended, maxPauseMs: MINUTE, clock }, step, onFailure)
}
