import { SECOND } from '@dexfeed/dex'
import type { IndexerLog } from '../../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../../loops/repeat-step.ts'
import type { FollowedPools } from './followed-pools.ts'

/** How often pools to read are looked for. */
const LOOK_MS = SECOND / 4
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
    if (now() < restUntil && !isForTop) return LOOK_MS
    const begun = now()
    const reads = await Promise.all(Array.from({ length: isForTop ? TOP_AT_A_TIME : 1 }, () => pools.read()))
    if (!reads.includes(true)) return LOOK_MS
    restUntil = now() + (now() - begun) * (1 / SHARE_OF_OTHERS - 1)
    return 0
  }
  await repeatStep({ ended, clock }, step, (error) => log.warn({ err: error }, 'pools could not be read, trying again'))
}
