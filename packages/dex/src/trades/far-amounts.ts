/** Two amounts differ by more than a fifth where the larger one is more than this part (6/5) of the smaller one. */
const [MOST_TOP, MOST_BOTTOM] = [6n, 5n]

/** Whether two amounts differ by more than a fifth. */
export function areFar(a: bigint, b: bigint): boolean {
  const [larger, smaller] = a > b ? [a, b] : [b, a]
  return larger * MOST_BOTTOM > smaller * MOST_TOP
}
