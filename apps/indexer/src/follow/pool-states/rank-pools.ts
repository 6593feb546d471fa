import { SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import type { IndexerLog } from '../../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../../loops/repeat-step.ts'
import type { PoolRanks } from './pool-ranks.ts'

const LEAST_REST_MS = 5 * SECOND
/** Counting the trades of a day takes at most a part of so many of the database's time. */
const RESTS = 20

export interface RankPoolsOptions {
  store: Pick<IndexerStore, 'poolTrades'>
  ranks: PoolRanks
  log: IndexerLog
  clock?: LoopClock
}

/** Counts the pools' stored trades of the last day again and again, whoever has committed them. */
export async function rankPools({ store, ranks, log, clock }: RankPoolsOptions, ended: AbortSignal): Promise<void> {
  const step = async () => {
    const begun = performance.now()
    await ranks.count(() => store.poolTrades())
    return Math.max(LEAST_REST_MS, RESTS * (performance.now() - begun))
  }
  const onFailure = (error: unknown) => log.debug({ err: error }, 'trades of pools could not be counted, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}
