import type { ReferenceEvent } from '../../pool-event.ts'
import { changed, type KnownLiquidity, nearest, observed } from './known-liquidity.ts'

/** What the events of a pool since some block tell of its liquidity. */
interface Evidence {
  /** The blocks of a period; a period begins at a multiple of it. */
  period: number
  /** The first block of a period. */
  since: number
  events: number
  known: KnownLiquidity
}

/** What events tell of a pool's liquidity, by the block that they are counted from. */
export type LiquidityEvidence = readonly Evidence[]

/** How long the longer period is, in shorter ones. */
const LONG = 6
/** With more events than these in the longer one, the shorter one is enough. */
export const MOST_EVENTS = 500

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
  for (const period of [hourBlocks, LONG * hourBlocks]) {
    const starts = new Set<number>()
    for (const block of pricedAt === null || event.type === 'price' ? [number] : [pricedAt, number]) {
      const start = Math.floor(block / period) * period
      starts.add(start - period).add(start)
    }
    for (const since of starts) {
      const before = evidence.find((one) => one.period === period && one.since === since)
      const events = (before?.events ?? 0) + 1
      const isEnough = period > hourBlocks && events > MOST_EVENTS
      next.push({ period, since, events, known: isEnough ? [] : apply(before?.known ?? [], event, tickSpacing) })
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

/** What is known of the liquidity at the pool's last price, which a block told. */
export function knownLiquidity(evidence: LiquidityEvidence, pricedAt: number, hourBlocks: number): KnownLiquidity {
  const of = (isLong: boolean) => {
    const period = isLong ? LONG * hourBlocks : hourBlocks
    const since = evidenceStart(pricedAt, hourBlocks, isLong)
    return evidence.find((one) => one.period === period && one.since === since)
  }
  const long = of(true)
  return (long !== undefined && long.events <= MOST_EVENTS ? long : of(false))?.known ?? []
}

function apply(known: KnownLiquidity, event: ReferenceEvent, tickSpacing: number): KnownLiquidity {
  if (event.type === 'liquidity') {
    const { tickLower, tickUpper, delta } = event
    return nearest(changed(known, tickLower, tickUpper, delta), tickLower)
  }
  const { state } = event
  if (state.kind === 'pair') return known
  // Liquidity changes at multiples of the spacing alone: what stands at the price stands between these.
  const lower = Math.floor(state.tick / tickSpacing) * tickSpacing
  return nearest(observed(known, lower, lower + tickSpacing, state.liquidity), state.tick)
}
