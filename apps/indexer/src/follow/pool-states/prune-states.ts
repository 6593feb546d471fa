import { MINUTE } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import type { IndexerLog } from '../../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../../loops/repeat-step.ts'

export interface PruneOptions {
  store: Pick<IndexerStore, 'pruneStates'>
  log: IndexerLog
  clock?: LoopClock
}

/** Deletes old versions of pool states as blocks become final, beside the commits. */
export async function pruneStates({ store, log, clock }: PruneOptions, ended: AbortSignal): Promise<void> {
  let final = -1
  const step = async () => {
    final = await store.pruneStates(final)
    return MINUTE / 2
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'old pool states could not be deleted, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}
