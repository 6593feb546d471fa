/** An intermediate's rest of at most this share (1/20) of what passed through it is a fee taken between hops. */
const DIVISOR = 20n

/** Whether a token that one hop gave and another took merely passed through, but for a fee between them. */
export function isFeeBetweenHops(given: bigint, taken: bigint): boolean {
  const [less, more] = given < taken ? [given, taken] : [taken, given]
  return less > 0n && (more - less) * DIVISOR <= more
}
