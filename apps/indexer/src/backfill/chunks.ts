import type { BackfillResult } from '@dexfeed/contract'
import { type BlockRange, countBlocks, SECOND, sharedRanges } from '@dexfeed/dex'
import { cutRanges } from '../blocks/block-ranges.ts'
import type { Chunk, FailedJob } from '../queue/job-queue.ts'

/**
 * Target duration of a job: amortises its fixed cost (ten requests), and lets the chunk size follow the node's pace.
 */
const TARGET_MS = 45 * SECOND
/** Target number of trades per job. They are written in several transactions. */
const TARGET_TRADES = 100_000
/** Initial chunk size, before any job has finished. */
const FIRST_CHUNK = 100
const MAX_CHUNK = 20_000

/** Returns the number of blocks for the next jobs, from the time and trades of the last finished ones. */
export function chunkSize(finished: readonly BackfillResult[]): number {
  const done = finished.filter(({ blocks }) => blocks > 0)
  if (done.length === 0) return FIRST_CHUNK
  const total = (of: (result: BackfillResult) => number) => done.reduce((sum, result) => sum + of(result), 0)
  const blocks = total((result) => result.blocks)
  const ms = total((result) => result.ms)
  const trades = total((result) => result.trades)
  const byTime = (blocks * TARGET_MS) / Math.max(1, ms)
  const byRows = (blocks * TARGET_TRADES) / Math.max(1, trades)
  // Unseen blocks may be busier: grow to at most twice the largest finished job.
  const grown = 2 * Math.max(FIRST_CHUNK, ...done.map((result) => result.blocks))
  return Math.max(1, Math.floor(Math.min(byTime, byRows, grown, MAX_CHUNK)))
}

/** Cuts missing ranges (ascending, disjoint) into chunks, newest first. `round`: how often they have failed before. */
export function cutChunks(
  missing: readonly BlockRange[],
  limits: { size: number; count?: number },
  round: number = 0,
): Chunk[] {
  return cutRanges(missing, limits).map((range) => ({ ...range, round }))
}

/** Halves the missing blocks of failed jobs, so that a part that works is not held up by one that does not. */
export function retries(missing: readonly BlockRange[], failed: readonly FailedJob[]): Chunk[] {
  return failed.flatMap((job) => {
    const ofJob = sharedRanges(missing, job)
    // If its workers died, the job itself may be fine.
    if (job.stalled) return cutChunks(ofJob, { size: countBlocks([job]) }, job.round)
    return cutChunks(ofJob, { size: Math.ceil(countBlocks([job]) / 2) }, job.round + 1)
  })
}
