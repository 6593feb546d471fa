import { type Clock, systemClock } from '@dexfeed/chain'
import { MINUTE, SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep, wakeSignal } from '../../loops/loop.ts'
import type { FollowedPools } from './followed-pools.ts'
import type { PoolRanks } from './read-order.ts'

/** Longest pause while there is nothing to read. */
const POLL_MS = SECOND / 4
/**
 * After the most traded pools, the others get at most this share of the time, one snapshot at a time. Next to history's
 * parallel requests, that is less than a tenth of what the head leaves.
 */
const SHARE_OF_OTHERS = 1 / 3

export interface ReadPoolsOptions {
  pools: Pick<FollowedPools, 'read' | 'hasTopUnread' | 'onWork'>
  log: IndexerLog
  clock?: Pick<Clock, 'sleep'> | undefined
  /** Milliseconds on a monotonic clock. */
  now?: () => number
}

/** Parallel snapshots of the most traded pools: one sends requests while the other waits for responses. */
const TOP_AT_A_TIME = 2

/**
 * Reads pool states beside the follower. The most traded pools are read as fast as the budget for bulk work allows. The
 * others get a share of the time, because history needs the node, too.
 */
export async function readPools(
  { pools, log, clock = systemClock, now = () => performance.now() }: ReadPoolsOptions,
  ended: AbortSignal,
): Promise<void> {
  let restUntil = Number.NEGATIVE_INFINITY
  const work = wakeSignal(ended)
  const close = pools.onWork((kind) => (kind === 'read' ? work.wake() : undefined))
  const rest = async () => {
    const over = new AbortController()
    await Promise.race([clock.sleep(POLL_MS, over.signal), work.wait()])
    over.abort()
    return 0
  }
  const step = async () => {
    const isForTop = pools.hasTopUnread()
    if (now() < restUntil && !isForTop) return rest()
    const begun = now()
    const reads = await Promise.all(Array.from({ length: isForTop ? TOP_AT_A_TIME : 1 }, () => pools.read()))
    if (!reads.includes(true)) return rest()
    restUntil = now() + (now() - begun) * (1 / SHARE_OF_OTHERS - 1)
    return 0
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'pools could not be read, trying again')
  await repeatStep({ ended, clock }, step, onFailure).finally(close)
}

const MIN_PAUSE_MS = 5 * SECOND
/** Pauses are this many times as long as the count took, to bound the load on the database. */
const RESTS = 20

export interface RankPoolsOptions {
  store: Pick<IndexerStore, 'poolTrades'>
  ranks: PoolRanks
  log: IndexerLog
  clock?: LoopClock
}

/** Counts the stored trades of the last day per pool, repeatedly. Any process may have committed them. */
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
