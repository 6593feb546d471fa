import type { EventEmitter } from 'node:events'
import { MINUTE, SECOND } from '@dexfeed/dex'
import type { QueueCounts } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep, wakeSignal } from '../loops/loop.ts'
import type { LazyQueue } from '../queue/lazy-queue.ts'
import { progressLogger } from './log-progress.ts'
import { Reconciler, type ReconcilerDependencies } from './reconciler.ts'

/** Pause between two checks for missing blocks. A finished job of this process ends it early. */
const POLL_MS = 2 * SECOND
/** How often this process loads the pools that workers of other processes found. */
const LOAD_MS = MINUTE
const LONGEST_PAUSE_MS = 5 * SECOND

export interface FillOptions extends Pick<ReconcilerDependencies, 'store' | 'onProgress'> {
  queue: Pick<LazyQueue, 'use'>
  /** Emits `done` when a worker of this process has finished a job. */
  jobs: EventEmitter<{ done: [] }>
  loadNew(): Promise<void>
  /** Receives the state of the queue at each check; null while it cannot be filled. */
  onQueue?: ((counts: QueueCounts | null) => void) | undefined
  log: IndexerLog
  clock?: LoopClock
}

/** Keeps the backfill queue filled. Its errors stay inside: the follower continues. */
export async function fillQueue(
  { store, queue, jobs, loadNew, log, clock, onProgress, onQueue }: FillOptions,
  ended: AbortSignal,
): Promise<void> {
  const logProgress = progressLogger(log, Date.now)
  const report: typeof onProgress = (progress) => {
    onProgress(progress)
    logProgress(progress)
  }
  const reconciler = new Reconciler({ store, queue: () => queue.use(), onProgress: report, onQueue, now: Date.now })
  const { wake, wait } = wakeSignal(ended)
  jobs.on('done', wake)
  let loadedAt = Date.now()
  let filling = false
  let failing = false
  const step = async () => {
    await wait(POLL_MS)
    if (ended.aborted) return null
    const missing = await reconciler.reconcile()
    if (filling && (!missing || Date.now() - loadedAt > LOAD_MS)) {
      await loadNew()
      loadedAt = Date.now()
    }
    if (filling && !missing) log.info({}, 'history is complete')
    if (failing) log.info({}, 'the backfill queue is back')
    filling = missing
    failing = false
    return 0
  }
  const onFailure = (error: unknown) => {
    if (!failing) log.warn({ err: error }, 'the backfill queue cannot be filled, trying again')
    failing = true
    onQueue?.(null)
  }
  const options = { ended, longestPauseMs: LONGEST_PAUSE_MS, clock }
  await repeatStep(options, step, onFailure).finally(() => jobs.off('done', wake))
}
