import { MINUTE } from '@dexfeed/dex'
import type { IndexerStore, VenueCoverage } from '@dexfeed/store'
import type { VenueCounts } from '../blocks/venue-counts.ts'
import type { IndexerLog } from '../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../loops/repeat-step.ts'

export interface TellVenuesOptions {
  venues: Pick<VenueCounts, 'restore' | 'counts'>
  store: Pick<IndexerStore, 'venueCoverage' | 'setVenueCoverage'>
  log: IndexerLog
  clock?: LoopClock
  /** Is called with what is stored. */
  onVenues?: (coverage: VenueCoverage) => void
}

/** Goes on with what was counted of venues that are not read, and stores it every minute. */
export async function tellVenues(
  { venues, store, log, clock, onVenues = () => undefined }: TellVenuesOptions,
  ended: AbortSignal,
): Promise<void> {
  let isRestored = false
  const step = async () => {
    if (!isRestored) {
      const stored = await store.venueCoverage()
      if (stored !== null) venues.restore(stored)
      isRestored = true
    }
    const coverage = venues.counts()
    if (coverage.receipts > 0) {
      await store.setVenueCoverage(coverage)
      onVenues(coverage)
    }
    return MINUTE
  }
  const onFailure = (error: unknown) => log.debug({ err: error }, 'could not tell which venues are not read')
  await repeatStep({ ended, clock }, step, onFailure)
}
