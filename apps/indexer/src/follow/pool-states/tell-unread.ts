import { type PoolAddress, SECOND } from '@dexfeed/dex'
import type { IndexerStore, UnreadChanges } from '@dexfeed/store'
import type { IndexerLog } from '../../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../../loops/repeat-step.ts'
import type { FollowedPools } from './followed-pools.ts'
import { TOP_POOLS } from './pool-ranks.ts'

const LOOK_MS = SECOND / 2

export interface TellUnreadOptions {
  pools: Pick<FollowedPools, 'unread'>
  store: Pick<IndexerStore, 'changeUnreadPools'>
  log: IndexerLog
  /** Is called with the number of pools with trades of the last day whose state is still to be read. */
  onUnread?: ((pools: number) => void) | undefined
  clock?: LoopClock
}

/** The unread pools, each with its place. */
type Places = ReadonlyMap<PoolAddress, number | null>
/** What the database says of pools; unknown where the write of a change failed, which may have arrived all the same. */
type Told = ReadonlyMap<PoolAddress, number | null | 'unknown'>

/** Keeps in the database which pools are still to be read: whether a network is ready and a quote whole follows from it. */
export async function tellUnread(
  { pools, store, log, onUnread, clock }: TellUnreadOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  // What another process has told before counts no longer.
  let told: Told | null = null
  const step = async () => {
    const unread = pools.unread()
    // What was told before stands until the follower knows.
    if (unread === null) return LOOK_MS
    // Only places of the most traded tell anything, and all others move with each trade.
    const places: Places = new Map(unread.map(({ pool, place }) => [pool, place && Math.min(place, TOP_POOLS + 1)]))
    onUnread?.([...places.values()].filter((place) => place !== null).length)
    // There may be thousands, of which few change: a pool that becomes known is to be told at once.
    const changes = changesOf(told, places)
    if (changes !== null) {
      told = told && withUnknown(told, changes)
      await store.changeUnreadPools(epoch, changes)
    }
    told = places
    return LOOK_MS
  }
  const onFailure = (error: unknown) => log.debug({ err: error }, 'pools to read could not be told, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}

/** Null: none. */
function changesOf(told: Told | null, now: Places): UnreadChanges | null {
  const unread = [...now].flatMap(([pool, place]) => (told?.get(pool) === place ? [] : [{ pool, place }]))
  const read = told === null ? null : [...told.keys()].filter((pool) => !now.has(pool))
  return read === null || unread.length + read.length > 0 ? { unread, read } : null
}

function withUnknown(told: Told, { unread, read }: UnreadChanges): Told {
  const changed = [...unread.map(({ pool }) => pool), ...(read ?? [])]
  return new Map([...told, ...changed.map((pool) => [pool, 'unknown'] as const)])
}
