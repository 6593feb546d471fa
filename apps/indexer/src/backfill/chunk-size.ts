import type { BackfillResult } from '@dexfeed/contract'

/** Work of one job: long enough that queueing costs nothing, short enough that its size soon follows the node's pace. */
const TARGET_MS = 5_000
/** Trades of one job, which are written in several transactions. */
const TARGET_TRADES = 100_000
/** While nothing is known. */
const FIRST_CHUNK = 100
const MAX_CHUNK = 20_000

/** How many blocks the next jobs should have, by what the last finished ones took and brought. */
export function chunkSize(finished: readonly BackfillResult[]): number {
  const telling = finished.filter(({ blocks }) => blocks > 0)
  if (telling.length === 0) return FIRST_CHUNK
  const total = (of: (result: BackfillResult) => number) => telling.reduce((sum, result) => sum + of(result), 0)
  const blocks = total((result) => result.blocks)
  const byTime =
    (blocks * TARGET_MS) /
    Math.max(
      1,
      total((result) => result.ms),
    )
  const byRows =
    (blocks * TARGET_TRADES) /
    Math.max(
      1,
      total((result) => result.trades),
    )
  // What lies ahead may be busier than what was seen: never more than twice the largest so far.
  const grown = 2 * Math.max(FIRST_CHUNK, ...telling.map((result) => result.blocks))
  return Math.max(1, Math.floor(Math.min(byTime, byRows, grown, MAX_CHUNK)))
}
