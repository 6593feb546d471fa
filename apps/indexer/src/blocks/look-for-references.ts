import { MINUTE } from '@dexfeed/dex'
import type { IndexerLog } from '../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../loops/repeat-step.ts'
import type { ReferencePools } from './reference-pools.ts'

export interface LookOptions {
  references: Pick<ReferencePools, 'look'>
  log: IndexerLog
  clock?: LoopClock | undefined
}

/** Has reference pools that were denied asked for again, however seldom somebody needs all of them anew. */
export async function lookForReferences({ references, log, clock }: LookOptions, ended: AbortSignal): Promise<void> {
  const step = async () => {
    await references.look()
    return MINUTE
  }
  await repeatStep({ ended, clock }, step, (error) => log.debug({ err: error }, 'could not look for reference pools'))
}
