import type { BackfillResult } from '@dexfeed/contract'
import { type BlockRange, countBlocks, SECOND, sharedRanges } from '@dexfeed/dex'
import { cutRanges } from '../blocks/block-ranges.ts'
import type { Chunk, FailedJob } from '../queue/job-queue.ts'

/** Long enough to amortise a job's ten fixed requests, short enough to follow the node's pace. */
const TARGET_MS = 45 * SECOND
const TARGET_TRADES = 100_000
const FIRST_CHUNK = 100
const MAX_CHUNK = 20_000

export function chunkSize(finished: readonly BackfillResult[]): number {
  const done = finished.filter(({ blocks }) => blocks > 0)
  if (done.length === 0) return FIRST_CHUNK
  const total = (of: (result: BackfillResult) => number) => done.reduce((sum, result) => sum + of(result), 0)
  const blocks = total((result) => result.blocks)
  const ms = total((result) => result.ms)
  const trades = total((result) => result.trades)
  const byTime = (blocks * TARGET_MS) / Math.max(1, ms)
  const byRows = (blocks * TARGET_TRADES) / Math.max(1, trades)
  // The size at most doubles, because blocks not seen yet may be busier.
  const grown = 2 * Math.max(FIRST_CHUNK, ...done.map((result) => result.blocks))
  return Math.max(1, Math.floor(Math.min(byTime, byRows, grown, MAX_CHUNK)))
}

/** Returns chunks, newest first. `round` counts how often their blocks have failed. */
export function cutChunks(
  missing: readonly BlockRange[],
  limits: { size: number; count?: number },
  round: number = 0,
): Chunk[] {
  return cutRanges(missing, limits).map((range) => ({ ...range, round }))
}

/** Halves failed jobs, so that one bad block does not hold up the others. */
export function retries(missing: readonly BlockRange[], failed: readonly FailedJob[]): Chunk[] {
  return failed.flatMap((job) => {
    const ofJob = sharedRanges(missing, job)
    // Keep the size: the worker died, so its blocks may be fine.
    if (job.stalled) return cutChunks(ofJob, { size: countBlocks([job]) }, job.round)
    return cutChunks(ofJob, { size: Math.ceil(countBlocks([job]) / 2) }, job.round + 1)
  })
}
