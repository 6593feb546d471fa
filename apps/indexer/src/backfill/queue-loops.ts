import { type EventEmitter, once } from 'node:events'
import { MINUTE, SECOND } from '@dexfeed/dex'
import type { QueueCounts } from '@dexfeed/store'
import { type LoopClock, type LoopContext, repeatStep, wakeSignal } from '../loops/loop.ts'
import type { JobWorker, OpenedQueue } from '../queue/job-queue.ts'
import { durationText } from '../status/status-text.ts'
import { type BackfillContext, type BackfillDependencies, backfillRange } from './backfill-range.ts'
import { type BackfillProgress, Reconciler, type ReconcilerStore } from './reconciler.ts'

const POLL_MS = 2 * SECOND
const LOAD_MS = MINUTE
const MAX_PAUSE_MS = 5 * SECOND

export interface HistoryProgress {
  onProgress(progress: BackfillProgress): void
  /** Receives null while the queue cannot be filled. */
  onQueue?: ((counts: QueueCounts | null) => void) | undefined
}

interface FillOptions extends HistoryProgress, LoopContext {
  store: ReconcilerStore
  queue: OpenedQueue
  jobs: EventEmitter<{ done: [] }>
  loadNew(): Promise<void>
}

/** Keeps the backfill queue filled. Errors are logged and retried. */
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
  const options = { ended, maxPauseMs: MAX_PAUSE_MS, clock }
  await repeatStep(options, step, onFailure).finally(() => jobs.off('done', wake))
}

export function progressLogger(
  log: { info(values: object, message: string): void },
  now: () => number,
): (progress: BackfillProgress) => void {
  let loggedAt: number | undefined
  return ({ done, total, old, blocksPerS }) => {
    if (blocksPerS === null || blocksPerS <= 0) return
    if (loggedAt !== undefined && now() - loggedAt < MINUTE) return
    loggedAt = now()
    const left = durationText((total - done + old) / blocksPerS)
    const speed = { blocksPerS: Math.round(blocksPerS), left }
    if (done < total) log.info({ done, total, ...speed }, 'history is being filled in')
    else log.info({ old, total, ...speed }, 'rows that an older version derived are being derived again')
  }
}

interface WorkOptions extends Omit<BackfillDependencies, 'context'> {
  queue: OpenedQueue
  concurrency: number
  jobs: EventEmitter<{ done: [] }>
  clock?: LoopClock
}

export async function workOnQueue(
  { queue, concurrency, jobs, clock, ...dependencies }: WorkOptions,
  context: BackfillContext,
  ended: AbortSignal,
): Promise<void> {
  let worker: JobWorker | null = null
  let failing = false
  const start = async () => {
    worker = await (await queue.use()).work(async (chunk, stopped) => {
      const result = await backfillRange({ ...dependencies, context }, chunk, stopped)
      jobs.emit('done')
      return result
    }, concurrency)
    return null
  }
  const onFailure = (error: unknown) => {
    if (!failing) dependencies.log.warn({ err: error }, 'the backfill queue cannot be used, trying again')
    failing = true
  }
  await repeatStep({ ended, maxPauseMs: MAX_PAUSE_MS, clock }, start, onFailure)
  if (!ended.aborted) await once(ended, 'abort')
  await (worker as JobWorker | null)?.close()
}
