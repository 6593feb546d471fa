import { SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import type { IndexerLog } from '../../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../../loops/repeat-step.ts'
import type { FollowedPools } from './followed-pools.ts'
import { TOP_POOLS } from './pool-ranks.ts'

const LOOK_MS = SECOND / 2
/** Telling takes at most a part of so many of the time. */
const RESTS = 50

export interface TellUnreadOptions {
  pools: Pick<FollowedPools, 'unread'>
  store: Pick<IndexerStore, 'setUnreadPools'>
  log: IndexerLog
  /** Is called with the number of pools with trades of the last day whose state is still to be read. */
  onUnread?: ((pools: number) => void) | undefined
  clock?: LoopClock
}

/** Keeps in the database which pools are still to be read: whether a network is ready and a quote whole follows from it. */
export async function tellUnread(
  { pools, store, log, onUnread, clock }: TellUnreadOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  let told: string | null = null
  const step = async () => {
    const begun = performance.now()
    // Only places of the most traded tell anything, and all others move with each trade.
    const unread = pools.unread().map(({ pool, place }) => ({ pool, place: place && Math.min(place, TOP_POOLS + 1) }))
    const text = JSON.stringify(unread)
    onUnread?.(unread.filter(({ place }) => place !== null).length)
    // What another process has told before counts no longer.
    if (text !== told) await store.setUnreadPools(epoch, unread)
    told = text
    return Math.max(LOOK_MS, RESTS * (performance.now() - begun))
  }
  const onFailure = (error: unknown) => log.debug({ err: error }, 'pools to read could not be told, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}
