import { getSqrtRatioAtTick, MAX_TICK, MIN_TICK } from '../../quote/pool-maths/tick-math.ts'

/** Liquidity that stands in the ticks lower <= tick < upper. */
interface Span {
  lower: number
  upper: number
  liquidity: bigint
}

/** What is known of a pool's liquidity: spans that are apart, ascending. Elsewhere nothing is known, which counts as nothing. */
export type KnownLiquidity = readonly Span[]

/** Money counts within this many ticks of the price: 1.0001^198 is 1.02. */
export const NEAR_TICKS = 198
/** From one tick to the next the root of the price grows by one part in 20,000. */
export const TICKS_OF_ROOT = 20_000n
/** Of more spans the ones furthest from the price are forgotten: positions are cheap, memory is not. */
const MOST_SPANS = 512
/** Liquidity that was put in lately counts for one part of so many. */
const RECENT_PART = 20n
const Q96 = 2n ** 96n

/** Sets the liquidity of a range of ticks, as a swap that ended there tells it. */
export function observed(known: KnownLiquidity, lower: number, upper: number, liquidity: bigint): KnownLiquidity {
  const isKnown = known.some((span) => span.lower <= lower && upper <= span.upper && span.liquidity === liquidity)
  return isKnown ? known : paint(known, lower, upper, () => liquidity)
}

/**
 * Adds liquidity to a range of ticks, or takes some out. What stood there may be more than is known, so that what is
 * left is never less than nothing.
 */
export function changed(known: KnownLiquidity, lower: number, upper: number, delta: bigint): KnownLiquidity {
  return lower < upper ? paint(known, lower, upper, (liquidity) => liquidity + delta) : known
}

/** What is known, with liquidity that was put in lately counted for a part of it: whose it is may not be there for long. */
export function discounted(known: KnownLiquidity, recent: KnownLiquidity): KnownLiquidity {
  if (recent.length === 0) return known
  const counted: Span[] = []
  let next = 0
  for (const { lower, upper, liquidity } of known) {
    for (let at = lower; at < upper; ) {
      while ((recent[next]?.upper ?? upper) <= at) next += 1
      const young = recent[next] ?? { lower: upper, upper, liquidity: 0n }
      const isYoung = young.lower <= at
      const end = Math.min(upper, isYoung ? young.upper : young.lower)
      const less = isYoung ? (young.liquidity < liquidity ? young.liquidity : liquidity) : 0n
      counted.push({ lower: at, upper: end, liquidity: liquidity - (less * (RECENT_PART - 1n)) / RECENT_PART })
      at = end
    }
  }
  return counted
}

/** With neighbours joined, the larger liquidity for both, where there are too many spans: none is forgotten. */
export function joined(known: KnownLiquidity): KnownLiquidity {
  if (known.length <= MOST_SPANS) return known
  return known.flatMap((span, at) => {
    if (at % 2 === 1) return []
    const { upper, liquidity } = known[at + 1] ?? span
    return [{ lower: span.lower, upper, liquidity: liquidity > span.liquidity ? liquidity : span.liquidity }]
  })
}

/** Without what is furthest from a tick, where there are too many spans. */
export function nearest(known: KnownLiquidity, tick: number): KnownLiquidity {
  if (known.length <= MOST_SPANS) return known
  let [first, end] = [0, known.length]
  while (end - first > MOST_SPANS) {
    const below = tick - (known[first]?.upper ?? tick)
    const above = (known[end - 1]?.lower ?? tick) - tick
    if (below > above) first += 1
    else end -= 1
  }
  return known.slice(first, end)
}

/**
 * The amounts of token0 (above the price) and token1 (below it) within 2 % of a price, rounded down. A tick counts as
 * one part in 20,000 of the root of the price; that of the price itself for exactly what lies on either side.
 */
export function nearAmounts(known: KnownLiquidity, tick: number, sqrtPriceX96: bigint): readonly [bigint, bigint] {
  if (sqrtPriceX96 === 0n || tick < MIN_TICK || tick >= MAX_TICK) return [0n, 0n]
  let [above, below, at] = [0n, 0n, 0n]
  for (const { lower, upper, liquidity } of known) {
    if (upper <= tick - NEAR_TICKS) continue
    if (lower > tick + NEAR_TICKS) break
    const under = Math.min(upper, tick) - Math.max(lower, tick - NEAR_TICKS)
    const over = Math.min(upper, tick + 1 + NEAR_TICKS) - Math.max(lower, tick + 1)
    if (under > 0) below += liquidity * BigInt(under)
    if (over > 0) above += liquidity * BigInt(over)
    if (lower <= tick && tick < upper) at = liquidity
  }
  const [floor, ceiling] = [getSqrtRatioAtTick(tick), getSqrtRatioAtTick(tick + 1)]
  const root = sqrtPriceX96 < floor ? floor : sqrtPriceX96 > ceiling ? ceiling : sqrtPriceX96
  return [
    (above * Q96) / (root * TICKS_OF_ROOT) + (at * Q96 * (ceiling - root)) / (ceiling * root),
    (below * root) / (Q96 * TICKS_OF_ROOT) + (at * (root - floor)) / Q96,
  ]
}

function paint(known: KnownLiquidity, lower: number, upper: number, next: (liquidity: bigint) => bigint): Span[] {
  const painted: Span[] = []
  const add = (from: number, to: number, liquidity: bigint) => {
    if (from >= to || liquidity <= 0n) return
    const last = painted.at(-1)
    if (last?.upper === from && last.liquidity === liquidity) painted[painted.length - 1] = { ...last, upper: to }
    else painted.push({ lower: from, upper: to, liquidity })
  }
  let at = lower
  for (const span of known) {
    if (span.upper <= lower) painted.push(span)
    else if (span.lower >= upper) {
      add(at, upper, next(0n))
      at = upper
      add(span.lower, span.upper, span.liquidity)
    } else {
      add(span.lower, lower, span.liquidity)
      add(at, span.lower, next(0n))
      at = Math.min(span.upper, upper)
      add(Math.max(span.lower, lower), at, next(span.liquidity))
      add(upper, span.upper, span.liquidity)
    }
  }
  add(at, upper, next(0n))
  return painted
}
