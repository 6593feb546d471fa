/** Blocks from `from` to `to`, both inclusive. */
export interface BlockRange {
  from: number
  to: number
}

/** A block with its time in seconds. */
export interface BlockPoint {
  number: number
  timestamp: number
}

/** Blocks whose rows are stored, with the times of the first and the last block in seconds. */
export interface CoveredRange extends BlockRange {
  fromTime: number
  toTime: number
}

/**
 * Returns the parts of a range that are not covered, in ascending order. `covered` is ascending and does not overlap.
 */
export function missingRanges(range: BlockRange, covered: readonly BlockRange[]): BlockRange[] {
  const missing: BlockRange[] = []
  let next = range.from
  for (const { from, to } of covered) {
    if (to < next) continue
    if (from > range.to) break
    if (from > next) missing.push({ from: next, to: from - 1 })
    next = to + 1
  }
  if (next <= range.to) missing.push({ from: next, to: range.to })
  return missing
}

/** Removes `others` (in any order) from `ranges` (ascending, not overlapping). */
export function withoutRanges(ranges: readonly BlockRange[], others: readonly BlockRange[]): BlockRange[] {
  const ascending = [...others].sort((a, b) => a.from - b.from)
  return ranges.flatMap((range) => missingRanges(range, ascending))
}

export function sharedRanges(ranges: readonly BlockRange[], { from, to }: BlockRange): BlockRange[] {
  return ranges
    .map((range) => ({ from: Math.max(range.from, from), to: Math.min(range.to, to) }))
    .filter((range) => range.from <= range.to)
}

export function countBlocks(ranges: readonly BlockRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
}
