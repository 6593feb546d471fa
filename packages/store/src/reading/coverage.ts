import { type BlockRange, type CoveredRange, countBlocks, missingRanges, sharedRanges } from '@dexfeed/dex'
import type { IndexedNetwork } from './networks.ts'

export type Coverage = Pick<IndexedNetwork, 'start' | 'head' | 'covered'>

/**
 * Returns whether every block from time `since` (seconds) to the indexed head is stored. A first stored block at
 * exactly `since` is not enough, because earlier blocks may share that second.
 */
export function coversSince(network: Coverage, since: number): boolean {
  const span = headSpan(network)
  return span !== null && (span.fromTime < since || span.from === 0)
}

/** Like `coversSince`, but does not require blocks before the one at which indexing starts. */
export function coversStart(network: Coverage, since: number): boolean {
  const span = headSpan(network)
  return span !== null && ((network.start !== null && span.from <= network.start.number) || span.fromTime < since)
}

export function coverageGaps({ start, head, covered }: Coverage): BlockRange[] {
  return head === null || start === null ? [] : missingRanges({ from: start.number, to: head.number }, covered)
}

export function coverageProgress(network: Pick<IndexedNetwork, 'start' | 'finalNumber' | 'covered'>): {
  done: number
  total: number
} {
  const { start, finalNumber, covered } = network
  if (finalNumber === null || start === null || finalNumber < start.number) return { done: 0, total: 0 }
  const done = countBlocks(sharedRanges(covered, { from: start.number, to: finalNumber }))
  return { done, total: finalNumber - start.number + 1 }
}

/** Returns the network as if `blocks` were covered too, for a caller that does not wait for them. */
export function asIfCovered<T extends Coverage>(network: T, blocks: readonly number[]): T {
  const { head, start, covered } = network
  if (head === null || start === null || blocks.length === 0) return network
  const taken = new Set(blocks)
  const areTaken = (from: number, to: number) => {
    if (to - from >= taken.size) return false
    for (let number = from; number <= to; number++) if (!taken.has(number)) return false
    return true
  }
  const spans: CoveredRange[] = []
  for (const { ...span } of covered) {
    const last = spans.at(-1)
    if (last !== undefined && areTaken(last.to + 1, span.from - 1))
      Object.assign(last, { ...span, from: last.from, fromTime: last.fromTime })
    else spans.push(span)
  }
  const first = spans[0]
  const last = spans.at(-1)
  if (first !== undefined && areTaken(start.number, first.from - 1)) first.from = Math.min(first.from, start.number)
  if (last !== undefined && areTaken(last.to + 1, head.number)) last.to = Math.max(last.to, head.number)
  return { ...network, covered: spans }
}

export function headSpan({ head, covered }: Coverage): CoveredRange | null {
  if (head === null) return null
  return covered.find((span) => span.from <= head.number && head.number <= span.to) ?? null
}
