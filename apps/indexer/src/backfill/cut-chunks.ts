import type { BlockRange } from '@dexfeed/dex'
import type { Chunk } from '../queue/job-queue.ts'

/** Cuts ranges (ascending, apart) into at most `count` chunks of at most `size` blocks, newest first. */
export function cutChunks(
  ranges: readonly BlockRange[],
  { size, count, round = 0 }: { size: number; count: number; round?: number },
): Chunk[] {
  const chunks: Chunk[] = []
  for (const { from, to } of ranges.toReversed()) {
    for (let last = to; last >= from && chunks.length < count; last -= size) {
      chunks.push({ from: Math.max(from, last - size + 1), to: last, round })
    }
  }
  return chunks
}
