/**
 * The last final block below a head: what the node calls final and what lies deep enough, whichever is lower.
 *
 * @param tagged the node's own final block; null where it names none
 */
export function finalBelow(head: number, tagged: number | null, finalityDepth: number): number {
  return Math.max(0, Math.min(tagged ?? head, head - finalityDepth))
}
