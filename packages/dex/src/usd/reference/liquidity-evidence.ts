import type { ReferenceEvent } from '../../pool-event.ts'
import { changed, discounted, joined, type KnownLiquidity, nearest, observed } from './known-liquidity.ts'

/** What a pool's events show about its liquidity since the first block of a period. */
interface Evidence {
  /** In blocks; periods begin at its multiples. */
  period: number
  since: number
  /** The number of blocks with events, and the last such block. */
  blocks: number
  last: number
  tick: number | null
  known: KnownLiquidity
  /** Liquidity that was added in a shorter period and not removed again. */
  recent: KnownLiquidity
}

/** One entry for each block at which counting starts. */
export type LiquidityEvidence = readonly Evidence[]

/** Number of shorter periods in a longer one. */
const LONG = 6
/**
 * If more blocks than this had events before the shorter period, the longer period is not needed. All events of an
 * hour-long attack lie within the shorter period, so dust cannot hide the liquidity of a quiet pool.
 */
export const MAX_EVIDENCE_BLOCKS = 500

/** Returns the first block whose events count for a price: the start of the period before the price's own. */
export function evidenceStart(number: number, hourBlocks: number, isLong: boolean): number {
  const period = isLong ? LONG * hourBlocks : hourBlocks
  return (Math.floor(number / period) - 1) * period
}

/**
 * Returns the evidence after one more event. `pricedAt` is the block of the pool's last price. Keeps only counts that
 * start in the current or the previous period of one of the two blocks.
 */
export function withEvent(
  evidence: LiquidityEvidence,
  { number, event, pricedAt, tickSpacing }: EvidenceEvent,
  hourBlocks: number,
): LiquidityEvidence {
  const next: Evidence[] = []
  const priced = event.type === 'price' ? number : pricedAt
  const shorter = priced === null ? null : evidenceStart(priced, hourBlocks, false)
  for (const period of [hourBlocks, LONG * hourBlocks]) {
    const starts = new Set<number>()
    for (const block of pricedAt === null || event.type === 'price' ? [number] : [pricedAt, number]) {
      const start = Math.floor(block / period) * period
      starts.add(start - period).add(start)
    }
    for (const since of starts) {
      const before = evidence.find((each) => each.period === period && each.since === since)
      const blocks = before === undefined ? 1 : before.blocks + (before.last === number ? 0 : 1)
      const tick = tickOf(event) ?? before?.tick ?? null
      const isEnough = period > hourBlocks && blocks - blocksSince(next, shorter, hourBlocks) > MAX_EVIDENCE_BLOCKS
      const known = isEnough ? [] : apply(before?.known ?? [], event, tick, tickSpacing)
      const recent = period > hourBlocks ? [] : withRecent(before?.recent ?? [], event)
      next.push({ period, since, blocks, last: number, tick, known, recent })
    }
  }
  return next
}

interface EvidenceEvent {
  number: number
  event: ReferenceEvent
  pricedAt: number | null
  tickSpacing: number
}

export function knownLiquidity(evidence: LiquidityEvidence, pricedAt: number, hourBlocks: number): KnownLiquidity {
  const evidenceFor = (isLong: boolean) => {
    const period = isLong ? LONG * hourBlocks : hourBlocks
    const since = evidenceStart(pricedAt, hourBlocks, isLong)
    return evidence.find((each) => each.period === period && each.since === since)
  }
  const long = evidenceFor(true)
  const short = evidenceFor(false)
  const isLong = long !== undefined && long.blocks - (short === undefined ? 0 : short.blocks) <= MAX_EVIDENCE_BLOCKS
  return discounted((isLong ? long : short)?.known ?? [], short?.recent ?? [])
}

/** Swaps do not change how recent liquidity is. */
function withRecent(recent: KnownLiquidity, event: ReferenceEvent): KnownLiquidity {
  if (event.type === 'price') return recent
  return joined(changed(recent, event.tickLower, event.tickUpper, event.delta))
}

/** Returns the number of blocks with events since `start`, or infinity if the pool has no price yet. */
function blocksSince(evidence: LiquidityEvidence, start: number | null, hourBlocks: number): number {
  if (start === null) return Number.POSITIVE_INFINITY
  const found = evidence.find(({ period, since }) => period === hourBlocks && since === start)
  return found === undefined ? 0 : found.blocks
}

function tickOf(event: ReferenceEvent): number | null {
  return event.type === 'price' && event.state.kind === 'concentrated' ? event.state.tick : null
}

/** @param tick tick of the last swap; the spans furthest from it are dropped first */
function apply(spans: KnownLiquidity, event: ReferenceEvent, tick: number | null, tickSpacing: number): KnownLiquidity {
  if (event.type === 'liquidity') {
    const { tickLower, tickUpper, delta } = event
    return nearest(changed(spans, tickLower, tickUpper, delta), tick ?? tickLower)
  }
  const { state } = event
  if (state.kind === 'pair') return spans
  // Liquidity changes only at multiples of the tick spacing.
  const lower = Math.floor(state.tick / tickSpacing) * tickSpacing
  return nearest(observed(spans, lower, lower + tickSpacing, state.liquidity), state.tick)
}
