import type { ReferenceEvent } from '../../pool-event.ts'
import { changed, discounted, joined, type KnownLiquidity, nearest, observed } from './known-liquidity.ts'

/** What the events of a pool since some block tell of its liquidity. */
interface Evidence {
  /** The blocks of a period; a period begins at a multiple of it. */
  period: number
  /** The first block of a period. */
  since: number
  /** How many blocks had events, and the last of them. */
  blocks: number
  last: number
  /** Of the last swap among the events. */
  tick: number | null
  known: KnownLiquidity
  /** Of a shorter period: what was put in and not taken out again. */
  recent: KnownLiquidity
}

/** What events tell of a pool's liquidity, by the block that they are counted from. */
export type LiquidityEvidence = readonly Evidence[]

/** How long the longer period is, in shorter ones. */
const LONG = 6
/**
 * Where more blocks than these had events before the shorter one, that is enough. What somebody does within an hour is
 * not before it, so that dust hides no quiet pool's liquidity.
 */
export const MOST_BLOCKS = 500

/** The block from which events count for a price that was told by some block: the start of the period before its own. */
export function evidenceStart(number: number, hourBlocks: number, isLong: boolean): number {
  const period = isLong ? LONG * hourBlocks : hourBlocks
  return (Math.floor(number / period) - 1) * period
}

/**
 * The evidence after one more event. What is counted from earlier than the period before that of the event, and of the
 * pool's last price, is dropped.
 *
 * @param pricedAt the block of the pool's last price; null: none is known
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
      const before = evidence.find((one) => one.period === period && one.since === since)
      const blocks = (before?.blocks ?? 0) + (before?.last === number ? 0 : 1)
      const tick = tickOf(event) ?? before?.tick ?? null
      const isEnough = period > hourBlocks && blocks - blocksSince(next, shorter, hourBlocks) > MOST_BLOCKS
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

/** What counts of the liquidity at the pool's last price, which a block told. */
export function knownLiquidity(evidence: LiquidityEvidence, pricedAt: number, hourBlocks: number): KnownLiquidity {
  const of = (isLong: boolean) => {
    const period = isLong ? LONG * hourBlocks : hourBlocks
    const since = evidenceStart(pricedAt, hourBlocks, isLong)
    return evidence.find((one) => one.period === period && one.since === since)
  }
  const [long, short] = [of(true), of(false)]
  const isLong = long !== undefined && long.blocks - (short?.blocks ?? 0) <= MOST_BLOCKS
  return discounted((isLong ? long : short)?.known ?? [], short?.recent ?? [])
}

/** Swaps do not make liquidity older. */
function withRecent(recent: KnownLiquidity, event: ReferenceEvent): KnownLiquidity {
  if (event.type === 'price') return recent
  return joined(changed(recent, event.tickLower, event.tickUpper, event.delta))
}

/** How many blocks had events since the start of a shorter period. Null: that is not known, and all count. */
function blocksSince(evidence: LiquidityEvidence, start: number | null, hourBlocks: number): number {
  if (start === null) return Number.POSITIVE_INFINITY
  return evidence.find(({ period, since }) => period === hourBlocks && since === start)?.blocks ?? 0
}

function tickOf(event: ReferenceEvent): number | null {
  return event.type === 'price' && event.state.kind === 'concentrated' ? event.state.tick : null
}

/** @param tick of the last swap, which what is forgotten is far from: mints elsewhere displace nothing there */
function apply(known: KnownLiquidity, event: ReferenceEvent, tick: number | null, tickSpacing: number): KnownLiquidity {
  if (event.type === 'liquidity') {
    const { tickLower, tickUpper, delta } = event
    return nearest(changed(known, tickLower, tickUpper, delta), tick ?? tickLower)
  }
  const { state } = event
  if (state.kind === 'pair') return known
  // Liquidity changes at multiples of the spacing alone: what stands at the price stands between these.
  const lower = Math.floor(state.tick / tickSpacing) * tickSpacing
  return nearest(observed(known, lower, lower + tickSpacing, state.liquidity), state.tick)
}
