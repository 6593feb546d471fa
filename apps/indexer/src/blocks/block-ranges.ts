import type { BlockPoint, BlockRange, CoveredRange } from '@dexfeed/dex'

/** Cuts ranges (ascending, disjoint) into parts of at most `size` blocks, newest first. */
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

/**
 * Returns the spans between skipped blocks. `blocks` ascends and holds both ends, but may have gaps. A span that
 * contains no element of `blocks` is left out, because its times are unknown.
 */
export function spansWithout(blocks: readonly BlockPoint[], skipped: readonly number[]): CoveredRange[] {
  const first = blocks[0]
  const last = blocks.at(-1)
  if (first === undefined || last === undefined) return []
  const starts = [first.number, ...skipped.map((number) => number + 1)]
  const ends = [...skipped.map((number) => number - 1), last.number]
  return starts.flatMap((from, index) => {
    const to = ends[index] ?? last.number
    const inside = blocks.filter(({ number }) => number >= from && number <= to)
    const oldest = inside[0]
    const newest = inside.at(-1)
    if (oldest === undefined || newest === undefined) return []
    return [{ from, to, fromTime: oldest.timestamp, toTime: newest.timestamp }]
  })
}
