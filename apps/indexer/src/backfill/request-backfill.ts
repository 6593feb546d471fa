import { setTimeout as delay } from 'node:timers/promises'
import { type BlockRange, countBlocks, missingRanges, SECOND, sharedRanges, withoutRanges } from '@dexfeed/dex'
import type { FailedJob, TodoList } from '../queue/job-queue.ts'
import type { ProgressDisplay } from './backfill-display.ts'
import { chunkSize, cutChunks, retries } from './chunks.ts'
import { RateMeter } from './rate-meter.ts'

/** Larger requests get larger jobs instead of more jobs. */
const MAX_JOBS = 500
const POLL_MS = SECOND / 2

export interface BackfillRequest {
  network: string
  range: BlockRange
  store: {
    networkRow(): Promise<{ finalNumber: number | null } | null>
    coveredRanges(): Promise<BlockRange[]>
  }
  queue: TodoList
}

/** Queues the missing final blocks of a range, newest first. Returns how many jobs and blocks were queued. */
export async function requestBackfill(request: BackfillRequest): Promise<{ jobs: number; blocks: number }> {
  const { queue } = request
  const missing = await missingFinal(request)
  const overlapping = (await queue.failed()).filter((job) => sharedRanges([job], request.range).length > 0)
  if (overlapping.length > 0) await queue.remove(overlapping)
  const free = withoutRanges(missing, await queue.open())
  const blocks = countBlocks(free)
  const size = Math.max(chunkSize(await queue.finished()), Math.ceil(blocks / MAX_JOBS))
  const chunks = cutChunks(free, { size })
  if (chunks.length > 0) await queue.add(chunks)
  return { jobs: chunks.length, blocks }
}

/** Waits until a range is covered (returns true) or only failed jobs are left (returns false). */
export async function waitForBackfill(
  request: BackfillRequest,
  display: ProgressDisplay,
  signal: AbortSignal,
): Promise<boolean> {
  const { network, range, store } = request
  const total = countBlocks([range])
  const meter = new RateMeter()
  let noted = false
  for (;;) {
    signal.throwIfAborted()
    const missing = missingRanges(range, await store.coveredRanges())
    const done = total - countBlocks(missing)
    const progress = { network, done, total, blocksPerS: meter.measure(performance.now(), total - done) }
    if (missing.length === 0) {
      display.end(progress, [])
      return true
    }
    const seen = await requeueLost(request).catch(() => ({ failed: [], workers: null }))
    if (withoutRanges(missing, seen.failed).length === 0) {
      const failed = seen.failed.map(({ from, to, reason }) => ({ from, to, reason }))
      display.end(progress, failed)
      return false
    }
    if (seen.workers === 0 && !noted) display.note('no worker is running: waiting for one (npm run indexer)')
    noted ||= seen.workers === 0
    display.show(progress)
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Queues the blocks of stalled jobs again, and blocks that are in no job. Returns the other failed jobs and the number
 * of workers.
 */
async function requeueLost(request: BackfillRequest): Promise<{ failed: FailedJob[]; workers: number }> {
  const { queue, range } = request
  const [open, failed, workers] = await Promise.all([queue.open(), queue.failed(), queue.workers()])
  const ours = failed.filter((job) => sharedRanges([job], range).length > 0)
  const stalled = ours.filter((job) => job.stalled)
  const failing = ours.filter((job) => !job.stalled)
  const free = withoutRanges(await missingFinal(request), [...open, ...failing])
  const lost = withoutRanges(free, stalled)
  const again = retries(free, stalled)
  if (stalled.length > 0) await queue.remove(stalled)
  const size = Math.max(chunkSize(await queue.finished()), Math.ceil(countBlocks(lost) / MAX_JOBS))
  const chunks = [...again, ...cutChunks(lost, { size, count: MAX_JOBS })]
  if (chunks.length > 0) await queue.add(chunks)
  return { failed: failing, workers }
}

async function missingFinal({ store, range }: BackfillRequest): Promise<BlockRange[]> {
  const finalNumber = (await store.networkRow())?.finalNumber ?? -1
  return missingRanges({ from: range.from, to: Math.min(range.to, finalNumber) }, await store.coveredRanges())
}
