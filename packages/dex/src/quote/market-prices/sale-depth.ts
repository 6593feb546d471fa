import type { PoolSide } from '../pool-maths/pool-side.ts'

/** How far the price may fall. */
export const KEPT = 0.98
const CLOSE = 0.981
const MAX_SALES = 6
/** On a constant-product curve, the price falls that far for an input of this fraction of the reserve. */
const FALL = 1 / KEPT - 1
/** More than any contract accepts. */
const MAX_AMOUNT = 2 ** 112
/** Each sale is at most this many times larger or smaller than the one before. */
const MAX_FACTOR = 64

/**
 * Returns what the largest sale found pays at a price of at least 98 % of `price`, or 0 if even the small one pays
 * less. Each try assumes a constant-product curve.
 *
 * @param price base units paid per base unit sold
 */
export function saleDepth(
  small: { amountIn: bigint; amountOut: bigint },
  price: number,
  sides: readonly PoolSide[],
  sell: (amount: bigint) => bigint | null,
): bigint {
  if (Number(small.amountOut) / Number(small.amountIn) < KEPT * price) return 0n
  let best = Number(small.amountIn)
  let paid = small.amountOut
  let tooMuch = Number.POSITIVE_INFINITY
  let amount = Math.max(best, firstTry(sides))
  for (let tries = 0; tries < MAX_SALES && amount > 1 && Number.isFinite(amount); tries++) {
    const sold = BigInt(Math.floor(amount))
    const out = sell(sold)
    const kept = out === null ? 0 : Number(out) / Number(sold) / price
    if (out !== null && kept >= KEPT) {
      if (amount > best) {
        best = amount
        paid = out
      }
      if (kept <= CLOSE) break
    } else {
      tooMuch = Math.min(tooMuch, amount)
    }
    const factor = kept <= 0 ? 1 / MAX_FACTOR : kept >= 1 ? MAX_FACTOR : FALL / (1 / kept - 1)
    const next = amount * Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, factor * 0.995))
    amount = next > best && next < tooMuch ? next : Math.sqrt(best * Math.min(tooMuch, best * MAX_FACTOR * MAX_FACTOR))
  }
  return paid
}

export function firstTry(sides: readonly PoolSide[]): number {
  let rate = 1
  let depth = 0
  for (const { bound } of sides) {
    depth += rate * bound.depth
    rate *= bound.rate
  }
  return depth > 0 ? FALL / depth : MAX_AMOUNT
}
