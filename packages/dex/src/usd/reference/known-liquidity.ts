import { larger, smaller } from '../../maths/integers.ts'
import { getSqrtRatioAtTick, MAX_TICK, MIN_TICK } from '../../maths/tick-math.ts'

/** Covers the ticks with lower <= tick < upper. */
interface Span {
  lower: number
  upper: number
  liquidity: bigint
}

/** Ascending spans that do not overlap. Elsewhere, liquidity is unknown and counts as 0. */
export type KnownLiquidity = readonly Span[]

/** Money counts within this many ticks of the price: 1.0001^198 is 1.02. */
export const NEAR_TICKS = 198
/** From one tick to the next, the square root of the price grows by 1/20,000. */
export const TICKS_OF_ROOT = 20_000n
/** Above this limit, spans are joined or the furthest are dropped, because anyone can create many of them cheaply. */
const MAX_SPANS = 512
/** Only 1/20 of recent liquidity counts. */
const RECENT_PART = 20n
const Q96 = 2n ** 96n

/** Sets the liquidity of a range to the liquidity of a swap that ended in it. */
export function observed(spans: KnownLiquidity, lower: number, upper: number, liquidity: bigint): KnownLiquidity {
  const isKnown = spans.some((span) => span.lower <= lower && upper <= span.upper && span.liquidity === liquidity)
  return isKnown ? spans : paint(spans, lower, upper, () => liquidity)
}

/** Adds or removes liquidity. More may be removed than is known; the result is never negative. */
export function changed(spans: KnownLiquidity, lower: number, upper: number, delta: bigint): KnownLiquidity {
  return lower < upper ? paint(spans, lower, upper, (liquidity) => liquidity + delta) : spans
}

/** Recent liquidity counts less, because it may be removed again soon. */
export function discounted(spans: KnownLiquidity, recent: KnownLiquidity): KnownLiquidity {
  if (recent.length === 0) return spans
  const counted: Span[] = []
  let next = 0
  for (const { lower, upper, liquidity } of spans) {
    for (let tick = lower; tick < upper; ) {
      while ((recent[next]?.upper ?? upper) <= tick) next += 1
      const young = recent[next] ?? { lower: upper, upper, liquidity: 0n }
      const isYoung = young.lower <= tick
      const end = Math.min(upper, isYoung ? young.upper : young.lower)
      const less = isYoung ? smaller(young.liquidity, liquidity) : 0n
      counted.push({ lower: tick, upper: end, liquidity: liquidity - (less * (RECENT_PART - 1n)) / RECENT_PART })
      tick = end
    }
  }
  return counted
}

export function joined(spans: KnownLiquidity): KnownLiquidity {
  if (spans.length <= MAX_SPANS) return spans
  return spans.flatMap((span, index) => {
    if (index % 2 === 1) return []
    const { upper, liquidity } = spans[index + 1] ?? span
    return [{ lower: span.lower, upper, liquidity: larger(liquidity, span.liquidity) }]
  })
}

export function nearest(spans: KnownLiquidity, tick: number): KnownLiquidity {
  if (spans.length <= MAX_SPANS) return spans
  let first = 0
  let end = spans.length
  while (end - first > MAX_SPANS) {
    const below = tick - (spans[first]?.upper ?? tick)
    const above = (spans[end - 1]?.lower ?? tick) - tick
    if (below > above) first += 1
    else end -= 1
  }
  return spans.slice(first, end)
}

/**
 * Returns the amounts of token0 (above the price) and of token1 (below it) within 2 % of a price, rounded down. A tick
 * counts as 1/20,000 of the price's square root; the current tick is computed exactly.
 */
export function nearAmounts(spans: KnownLiquidity, tick: number, sqrtPriceX96: bigint): readonly [bigint, bigint] {
  if (sqrtPriceX96 === 0n || tick < MIN_TICK || tick >= MAX_TICK) return [0n, 0n]
  let above = 0n
  let below = 0n
  let current = 0n
  for (const { lower, upper, liquidity } of spans) {
    if (upper <= tick - NEAR_TICKS) continue
    if (lower > tick + NEAR_TICKS) break
    const under = Math.min(upper, tick) - Math.max(lower, tick - NEAR_TICKS)
    const over = Math.min(upper, tick + 1 + NEAR_TICKS) - Math.max(lower, tick + 1)
    if (under > 0) below += liquidity * BigInt(under)
    if (over > 0) above += liquidity * BigInt(over)
    if (lower <= tick && tick < upper) current = liquidity
  }
  const floor = getSqrtRatioAtTick(tick)
  const ceiling = getSqrtRatioAtTick(tick + 1)
  const root = sqrtPriceX96 < floor ? floor : sqrtPriceX96 > ceiling ? ceiling : sqrtPriceX96
  return [
    (above * Q96) / (root * TICKS_OF_ROOT) + (current * Q96 * (ceiling - root)) / (ceiling * root),
    (below * root) / (Q96 * TICKS_OF_ROOT) + (current * (root - floor)) / Q96,
  ]
}

function paint(spans: KnownLiquidity, lower: number, upper: number, next: (liquidity: bigint) => bigint): Span[] {
  const painted: Span[] = []
  const add = (from: number, to: number, liquidity: bigint) => {
    if (from >= to || liquidity <= 0n) return
    const last = painted.at(-1)
    if (last?.upper === from && last.liquidity === liquidity) painted[painted.length - 1] = { ...last, upper: to }
    else painted.push({ lower: from, upper: to, liquidity })
  }
  let position = lower
  for (const span of spans) {
    if (span.upper <= lower) painted.push(span)
    else if (span.lower >= upper) {
      add(position, upper, next(0n))
      position = upper
      add(span.lower, span.upper, span.liquidity)
    } else {
      add(span.lower, lower, span.liquidity)
      add(position, span.lower, next(0n))
      position = Math.min(span.upper, upper)
      add(Math.max(span.lower, lower), position, next(span.liquidity))
      add(upper, span.upper, span.liquidity)
    }
  }
  add(position, upper, next(0n))
  return painted
}
