import type { BlockRange } from '@dexfeed/dex'

/** Cuts ranges (ascending, apart) into parts of at most `size` blocks, newest first; at most `count`, default: all. */
export function cutRanges(
  ranges: readonly BlockRange[],
  { size, count = Number.POSITIVE_INFINITY }: { size: number; count?: number },
): BlockRange[] {
  const parts: BlockRange[] = []
  for (const { from, to } of ranges.toReversed()) {
    for (let last = to; last >= from && parts.length < count; last -= size) {
      parts.push({ from: Math.max(from, last - size + 1), to: last })
    }
  }
  return parts
}
