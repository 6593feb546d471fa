import type { PoolState } from '../pool-state.ts'
import { getSqrtRatioAtTick, MAX_TICK, MIN_TICK } from '../quote/pool-maths/tick-math.ts'

const Q96 = 2n ** 96n

/** What a pool says that a token costs. */
export interface Rate {
  /** USD per whole token, scaled by 1e18. */
  price: bigint
  /** What the pool holds for sure, scaled by 1e18: USD that it pays for the token, and whole tokens that it sells. */
  funds(): { bid: bigint; ask: bigint }
}

/** Pools that differ by more than this factor from what money stands behind are not believed. */
const MAX_FACTOR = 2n

/**
 * The rates that money stands behind. A concentrated pool's virtual reserves can be made as large as one likes, at any
 * price, with dust: a position of one tick just beside the price holds nothing of what the pool claims to pay. What
 * cannot be faked is what lies in the current tick on either side, since an offer better than the market is taken at
 * once. So where rates differ widely, bids from above and asks from below are added up until they meet, and a rate far
 * from there is skipped. While all rates are within a factor of two, all are believed.
 */
export function believableRates<T extends Rate>(rates: readonly T[]): readonly T[] {
  const sorted = [...rates].sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0))
  const [lowest, highest] = [sorted[0], sorted.at(-1)]
  if (lowest === undefined || highest === undefined || isNear(lowest.price, highest.price)) return rates
  const market = meetingPrice(sorted)
  return rates.filter(({ price }) => (price < market ? isNear(price, market) : isNear(market, price)))
}

function isNear(low: bigint, high: bigint): boolean {
  return high <= low * MAX_FACTOR
}

/** The lowest price at which those who ask no more have as much to sell as those who bid more would buy. */
function meetingPrice(ascending: readonly Rate[]): bigint {
  const funds = ascending.map((rate) => rate.funds())
  let demand = funds.reduce((sum, { bid }) => sum + bid, 0n)
  let supply = 0n
  let price = 0n
  for (const [index, rate] of ascending.entries()) {
    demand -= funds[index]?.bid ?? 0n
    supply += funds[index]?.ask ?? 0n
    price = rate.price
    if (supply * price >= demand * 10n ** 18n) break
  }
  return price
}

/** What of both tokens a pool holds for sure: a pair's reserves, of concentrated liquidity what is in the current tick. */
export function certainAmounts(state: PoolState): readonly [bigint, bigint] {
  if (state.kind === 'pair') return [state.reserve0, state.reserve1]
  const { sqrtPriceX96: root, liquidity, tick } = state
  if (root === 0n || tick < MIN_TICK || tick >= MAX_TICK) return [0n, 0n]
  const [lower, upper] = [getSqrtRatioAtTick(tick), getSqrtRatioAtTick(tick + 1)]
  const amount0 = root < upper ? (liquidity * Q96 * (upper - root)) / (upper * root) : 0n
  return [amount0, root > lower ? (liquidity * (root - lower)) / Q96 : 0n]
}
