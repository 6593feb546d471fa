import { once } from 'node:events'
import type { NetworkContext } from '../blocks/network-context.ts'
import { repeatStep } from '../loops/repeat-step.ts'
import type { JobWorker } from '../queue/job-queue.ts'
import type { NetworkDependencies } from '../run-network.ts'
import { backfillRange } from './backfill-range.ts'

const LONGEST_PAUSE_MS = 5_000

/** Works on the network's backfill jobs until the signal aborts; a queue that is out of reach is tried again. */
export async function workOnQueue(
  { chain, store, queue, concurrency, log, committed, jobDone, clock }: NetworkDependencies,
  context: NetworkContext,
  signal: AbortSignal,
): Promise<void> {
  let worker: JobWorker | null = null
  let told = false
  const start = async () => {
    const jobs = await queue.use()
    worker = await jobs.work(async (chunk, stopped) => {
      const result = await backfillRange({ chain, store, context, log, committed }, chunk, stopped)
      jobDone.tell()
      return result
    }, concurrency)
    return false
  }
  const failed = (error: unknown) => {
    if (!told) log.warn({ err: error }, 'the backfill queue cannot be used, trying again')
    told = true
  }
  await repeatStep({ signal, longestPauseMs: LONGEST_PAUSE_MS, clock }, start, failed)
  if (!signal.aborted) await once(signal, 'abort')
  await (worker as JobWorker | null)?.close()
}
