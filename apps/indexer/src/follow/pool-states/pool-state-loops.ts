import { MINUTE, SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../../loops/loop.ts'
import type { FollowedPools } from './followed-pools.ts'
import type { PoolRanks } from './pool-ranks.ts'

/** How often pools to read are looked for. */
const POLL_MS = SECOND / 4
/**
 * Once the most traded pools are read, this part of the time at most goes to the others, a snapshot at a time. Beside the
 * several requests of history that is less than a tenth of what the head leaves.
 */
const SHARE_OF_OTHERS = 1 / 3

export interface ReadPoolsOptions {
  pools: Pick<FollowedPools, 'read' | 'hasTopUnread'>
  log: IndexerLog
  clock?: LoopClock
  /** Milliseconds on a clock that only grows. */
  now?: () => number
}

/** Snapshots of the most traded pools at a time: one asks while another waits for its answers. */
const TOP_AT_A_TIME = 2

/**
 * Reads pool states beside the follower: the most traded pools as fast as the node's budget allows to work in bulk, the
 * others in a part of the time: history needs the node too.
 */
export async function readPools(
  { pools, log, clock, now = () => performance.now() }: ReadPoolsOptions,
  ended: AbortSignal,
): Promise<void> {
  let restUntil = Number.NEGATIVE_INFINITY
  const step = async () => {
    const isForTop = pools.hasTopUnread()
    if (now() < restUntil && !isForTop) return POLL_MS
    const begun = now()
    const reads = await Promise.all(Array.from({ length: isForTop ? TOP_AT_A_TIME : 1 }, () => pools.read()))
    if (!reads.includes(true)) return POLL_MS
    restUntil = now() + (now() - begun) * (1 / SHARE_OF_OTHERS - 1)
    return 0
  }
  await repeatStep({ ended, clock }, step, (error) => log.warn({ err: error }, 'pools could not be read, trying again'))
}

const MIN_PAUSE_MS = 5 * SECOND
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
    return Math.max(MIN_PAUSE_MS, RESTS * (performance.now() - begun))
  }
  const onFailure = (error: unknown) => log.debug({ err: error }, 'trades of pools could not be counted, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}

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
