import { type EventEmitter, once } from 'node:events'
import { SECOND } from '@dexfeed/dex'
import { type LoopClock, repeatStep } from '../loops/loop.ts'
import type { JobWorker, OpenedQueue } from '../queue/job-queue.ts'
import { type BackfillContext, type BackfillDependencies, backfillRange } from './backfill-range.ts'

const MAX_PAUSE_MS = 5 * SECOND

export interface WorkOptions extends Omit<BackfillDependencies, 'context'> {
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
