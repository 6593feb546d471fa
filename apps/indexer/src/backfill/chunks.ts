import type { BackfillResult } from '@dexfeed/contract'
import { type BlockRange, countBlocks, SECOND, sharedRanges } from '@dexfeed/dex'
import { cutRanges } from '../blocks/block-ranges.ts'
import type { Chunk, FailedJob } from '../queue/job-queue.ts'

/**
 * Work of one job: long enough that what it asks for once (the prices before it, some ten questions) costs little, short
 * enough that its size soon follows the node's pace.
 */
const TARGET_MS = 45 * SECOND
/** Trades of one job, which are written in several transactions. */
const TARGET_TRADES = 100_000
/** While nothing is known. */
const FIRST_CHUNK = 100
const MAX_CHUNK = 20_000

/** How many blocks the next jobs should have, by the time and the trades of the last finished ones. */
export function chunkSize(finished: readonly BackfillResult[]): number {
  const telling = finished.filter(({ blocks }) => blocks > 0)
  if (telling.length === 0) return FIRST_CHUNK
  const total = (of: (result: BackfillResult) => number) => telling.reduce((sum, result) => sum + of(result), 0)
  const blocks = total((result) => result.blocks)
  const [ms, trades] = [total((result) => result.ms), total((result) => result.trades)]
  const byTime = (blocks * TARGET_MS) / Math.max(1, ms)
  const byRows = (blocks * TARGET_TRADES) / Math.max(1, trades)
  // What lies ahead may be busier than what was seen: never more than twice the largest so far.
  const grown = 2 * Math.max(FIRST_CHUNK, ...telling.map((result) => result.blocks))
  return Math.max(1, Math.floor(Math.min(byTime, byRows, grown, MAX_CHUNK)))
}

/** Cuts what is missing (ascending, apart) into chunks, newest first. @param round how often it was given up before */
export function cutChunks(
  missing: readonly BlockRange[],
  limits: { size: number; count?: number },
  round: number = 0,
): Chunk[] {
  return cutRanges(missing, limits).map((range) => ({ ...range, round }))
}

/** What is still missing of jobs that failed, in halves: a part that can be done is not held up by one that cannot. */
export function retries(missing: readonly BlockRange[], failed: readonly FailedJob[]): Chunk[] {
  return failed.flatMap((job) => {
    const ofJob = sharedRanges(missing, job)
    // Where its workers died it was not the job's fault.
    if (job.stalled) return cutChunks(ofJob, { size: countBlocks([job]) }, job.round)
    return cutChunks(ofJob, { size: Math.ceil(countBlocks([job]) / 2) }, job.round + 1)
  })
}
