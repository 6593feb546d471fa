/**
 * A reorg below the final block is believed when the chain was found so often in a row to hold none of the stored
 * blocks: an endpoint that lags, or that serves another branch for a while, says the same.
 */
export const DEEP_REORG_CLAIMS = 4

/**
 * The last final block below a head: what the node calls final and what lies deep enough, whichever is lower.
 *
 * @param tagged the node's own final block; null where it names none
 */
export function finalBelow(head: number, tagged: number | null, finalityDepth: number): number {
  return Math.max(0, Math.min(tagged ?? head, head - finalityDepth))
}
