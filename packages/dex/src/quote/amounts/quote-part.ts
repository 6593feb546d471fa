import type { QuotedHop } from '../best-route.ts'
import { solveMinInput } from '../pool-maths/min-input.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { QuoteWork } from '../quote-work.ts'

interface AmountHop extends QuotedHop {
  /** The part of the input that the pool keeps, rounded up; null if its formula does not show it. */
  fee: bigint | null
}

export interface QuotePart {
  amountIn: bigint
  amountOut: bigint
  hops: readonly AmountHop[]
}

/** Returns null if the route does not accept the amount, or pays nothing. */
export function quotePart(sides: readonly PoolSide[], amountIn: bigint, work: QuoteWork): QuotePart | null {
  const hops: AmountHop[] = []
  let amount = amountIn
  for (const side of sides) {
    const amountOut = side.quote(amount, work)
    if (amountOut === null || amountOut === 0n) return null
    const { pool, tokenIn, tokenOut } = side
    hops.push({ pool, tokenIn, tokenOut, amountIn: amount, amountOut, fee: side.feeOn(amount) })
    amount = amountOut
  }
  return { amountIn, amountOut: amount, hops }
}

export function amountAlong(sides: readonly PoolSide[], amountIn: bigint, work: QuoteWork): bigint | null {
  let amount: bigint | null = amountIn
  for (const side of sides) {
    if (amount === null || amount <= 0n) return amount
    amount = side.quote(amount, work)
  }
  return amount
}

/**
 * Returns the least input with which a route pays at least `amountOut`. Rounding in a formula can make it differ from
 * the input composed pool by pool.
 */
export function minInputAlong(
  sides: readonly PoolSide[],
  amountOut: bigint,
  work: QuoteWork,
  composed = composedInput(sides, amountOut, work),
): bigint | null {
  if (composed === null || sides.every(({ current }) => current.formula === null)) return composed
  const quote = (input: bigint) => amountAlong(sides, input, work)
  const isEnough = (input: bigint) => {
    const paid = quote(input)
    return paid !== null && paid >= amountOut
  }
  if (isEnough(composed) && !isEnough(composed - 1n)) return composed
  return solveMinInput(quote, amountOut, composed)
}

/** @param isRough accepts an input that pays a billionth too much, for less work */
export function composedInput(
  sides: readonly PoolSide[],
  amountOut: bigint,
  work: QuoteWork,
  isRough = false,
): bigint | null {
  let amount: bigint | null = amountOut
  for (const side of sides.toReversed()) amount = amount === null ? null : side.minInput(amount, work, isRough)
  return amount
}
