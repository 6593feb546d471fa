import type { Chunk } from './job-queue.ts'
import { type BlockRange, missingRanges } from './missing-ranges.ts'

/** What is left of some ranges (ascending, apart) without others in any order. */
export function withoutRanges(ranges: readonly BlockRange[], others: readonly BlockRange[]): BlockRange[] {
  const ascending = [...others].sort((a, b) => a.from - b.from)
  return ranges.flatMap((range) => missingRanges(range, ascending))
}

/** The parts that ranges (ascending, apart) have in common with another one. */
export function sharedRanges(ranges: readonly BlockRange[], { from, to }: BlockRange): BlockRange[] {
  return ranges
    .map((range) => ({ from: Math.max(range.from, from), to: Math.min(range.to, to) }))
    .filter((range) => range.from <= range.to)
}

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

export function countBlocks(ranges: readonly BlockRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
}
