import type { CoveredSpan, IndexedNetwork } from './indexed-network.ts'

/** What coverage is judged by. */
export type Coverage = Pick<IndexedNetwork, 'start' | 'head' | 'covered'>

export interface BlockSpan {
  from: number
  to: number
}

/**
 * Is every block from the time `since` (seconds) to the indexed head stored? The range that holds the head must reach
 * back to a block that is no younger than `since`, or to the first block of the chain.
 */
export function coversSince(network: Coverage, since: number): boolean {
  const span = headSpan(network)
  return span !== null && (span.fromTime <= since || span.from === 0)
}

/** As `coversSince`, but no further back than the block that indexing was asked to start with. */
export function coversStart(network: Coverage, since: number): boolean {
  const span = headSpan(network)
  return span !== null && (span.from <= network.start.number || span.fromTime <= since)
}

/** The blocks between the start and the indexed head that are not stored, ascending. */
export function coverageGaps({ start, head, covered }: Coverage): BlockSpan[] {
  if (head === null) return []
  const gaps: BlockSpan[] = []
  let next = start.number
  for (const span of covered) {
    if (span.from > head.number) break
    if (span.from > next) gaps.push({ from: next, to: span.from - 1 })
    next = Math.max(next, span.to + 1)
  }
  if (next <= head.number) gaps.push({ from: next, to: head.number })
  return gaps
}

/** How many of the final blocks since the start are stored, and how many there are. */
export function coverageProgress(network: Pick<IndexedNetwork, 'start' | 'finalNumber' | 'covered'>): {
  done: number
  total: number
} {
  const { start, finalNumber, covered } = network
  if (finalNumber === null || finalNumber < start.number) return { done: 0, total: 0 }
  const done = covered.reduce((sum, { from, to }) => {
    const shared = Math.min(to, finalNumber) - Math.max(from, start.number) + 1
    return sum + Math.max(0, shared)
  }, 0)
  return { done, total: finalNumber - start.number + 1 }
}

function headSpan({ head, covered }: Coverage): CoveredSpan | null {
  if (head === null) return null
  return covered.find((span) => span.from <= head.number && head.number <= span.to) ?? null
}
