export interface BlockRange {
  from: number
  to: number
}

/** The parts of a range that are not covered, ascending. `covered` is ascending and does not overlap. */
export function missingRanges(wanted: BlockRange, covered: readonly BlockRange[]): BlockRange[] {
  const missing: BlockRange[] = []
  let next = wanted.from
  for (const { from, to } of covered) {
    if (to < next) continue
    if (from > wanted.to) break
    if (from > next) missing.push({ from: next, to: from - 1 })
    next = to + 1
  }
  if (next <= wanted.to) missing.push({ from: next, to: wanted.to })
  return missing
}
