import { boundOfReserves, NO_OUTPUT, type OutputBound, type PoolFormula } from '../../maths/formula.ts'
import type { QuotablePool } from '../../pool.ts'
import { FEE_UNITS, type PoolState } from '../../pool-state.ts'
import type { TickList } from './tick-list.ts'

export interface PoolInState {
  readonly pool: QuotablePool
  readonly state: PoolState | null
  readonly ticks: TickList | null
  readonly formula: PairOfCoins | null
}

/** A pool's formula, restricted to the pair of its token0 and token1. */
export interface PairOfCoins {
  maths: PoolFormula
  coin0: number
  coin1: number
  work: number
}

/** Exact and positive: base units bought per base unit sold. */
export interface Rate {
  numerator: bigint
  denominator: bigint
}

export function feeOf({ pool, state }: PoolInState, zeroForOne: boolean): number {
  const moving = state?.fee
  if (moving === undefined) return pool.fee
  return zeroForOne ? moving.zeroForOne : moving.oneForZero
}

export function boundOf(current: PoolInState, zeroForOne: boolean): OutputBound {
  const { state, ticks, formula } = current
  if (state === null) return NO_OUTPUT
  if (state.kind === 'formula') {
    if (formula === null) return NO_OUTPUT
    const { maths, coin0, coin1 } = formula
    return usable(zeroForOne ? maths.bound(coin0, coin1) : maths.bound(coin1, coin0))
  }
  const kept = 1 - feeOf(current, zeroForOne) / Number(FEE_UNITS)
  let reserve0: number
  let reserve1: number
  if (state.kind === 'pair') {
    reserve0 = Number(state.reserve0)
    reserve1 = Number(state.reserve1)
  } else {
    // More liquidity moves the price less, so the largest liquidity bounds all ranges.
    const liquidity = Math.max(Number(state.liquidity), ticks === null ? 0 : Number(ticks.maxLiquidity()))
    const sqrtPrice = Number(state.sqrtPriceX96) / 2 ** 96
    reserve0 = liquidity / sqrtPrice
    reserve1 = liquidity * sqrtPrice
  }
  return zeroForOne ? boundOfReserves(reserve0, reserve1, kept) : boundOfReserves(reserve1, reserve0, kept)
}

/** Hostile values may produce a bound that cannot be compared; such a pool pays nothing. */
function usable(bound: OutputBound): OutputBound {
  return bound.rate >= 0 && bound.rate < Number.POSITIVE_INFINITY && bound.depth >= 0 ? bound : NO_OUTPUT
}

/** The rate of a formula is measured with a small input: the pool's balance divided by this. */
const SMALL_SHARE = 1_000_000n

/** Returns the exact rate, including the fee, or null without liquidity at the current price. */
export function marginalRate(current: PoolInState, zeroForOne: boolean): Rate | null {
  const { state, formula } = current
  if (state === null) return null
  if (state.kind === 'formula') {
    if (formula === null) return null
    const denominator = balanceOf(formula, zeroForOne ? 0 : 1) / SMALL_SHARE + 1n
    const numerator = formulaOutput(formula, zeroForOne, denominator)
    return numerator === null || numerator === 0n ? null : { numerator, denominator }
  }
  const kept = FEE_UNITS - BigInt(feeOf(current, zeroForOne))
  if (state.kind === 'pair') {
    const reserveIn = zeroForOne ? state.reserve0 : state.reserve1
    const reserveOut = zeroForOne ? state.reserve1 : state.reserve0
    if (reserveIn <= 0n || reserveOut <= 0n) return null
    return { numerator: reserveOut * kept, denominator: reserveIn * FEE_UNITS }
  }
  if (state.liquidity <= 0n || state.sqrtPriceX96 <= 0n) return null
  const price = state.sqrtPriceX96 * state.sqrtPriceX96
  return zeroForOne
    ? { numerator: price * kept, denominator: FEE_UNITS << 192n }
    : { numerator: kept << 192n, denominator: price * FEE_UNITS }
}

export function compareRates(a: Rate, b: Rate): number {
  const left = a.numerator * b.denominator
  const right = b.numerator * a.denominator
  return left > right ? 1 : left < right ? -1 : 0
}

export function formulaOutput(
  { maths, coin0, coin1 }: PairOfCoins,
  zeroForOne: boolean,
  amountIn: bigint,
): bigint | null {
  if (amountIn <= 0n) return null
  return zeroForOne ? maths.amountOut(coin0, coin1, amountIn) : maths.amountOut(coin1, coin0, amountIn)
}

export function balanceOf({ maths, coin0, coin1 }: PairOfCoins, token: 0 | 1): bigint {
  // A formula with fewer coins than its pool holds none of the others.
  return maths.balances[token === 0 ? coin0 : coin1] ?? 0n
}
