/** Median of integers; of an even number the mean of the middle two, rounded down. Null of none. */
export function median(values: readonly bigint[]): bigint | null {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const upper = sorted[sorted.length >> 1]
  if (upper === undefined) return null
  const lower = sorted[(sorted.length - 1) >> 1] ?? upper
  return (lower + upper) / 2n
}
