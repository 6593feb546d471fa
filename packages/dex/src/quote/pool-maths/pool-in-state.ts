import type { PoolFormula } from '../../maths/formula.ts'
import { boundOfReserves, NO_OUTPUT, type OutputBound } from '../../maths/output-bound.ts'
import type { QuotablePool } from '../../pool.ts'
import { FEE_UNITS, type PoolState } from '../../pool-state.ts'
import type { TickList } from './tick-list.ts'

export interface PoolInState {
  readonly pool: QuotablePool
  readonly state: PoolState | null
  /** Null except for concentrated liquidity. */
  readonly ticks: TickList | null
  /** Null except for pools that are quoted by a formula. */
  readonly formula: PairOfCoins | null
}

/** A pool's formula, for two of its coins: token0 and token1 of the pool as it is seen here. */
export interface PairOfCoins {
  maths: PoolFormula
  /** The numbers of the two coins in the formula. */
  coin0: number
  coin1: number
  /** The cost of one exact amount, in units of work. */
  work: number
}

/** Returns the fee of a direction in millionths: the state's if it changes, else the pool's. */
export function feeOf({ pool, state }: PoolInState, zeroForOne: boolean): number {
  const moving = state?.fee
  if (moving === undefined) return pool.fee
  return zeroForOne ? moving.zeroForOne : moving.oneForZero
}

/** Returns a curve that the output of a pool in one direction never exceeds, with (almost) its marginal rate. */
export function boundOf(current: PoolInState, zeroForOne: boolean): OutputBound {
  const { state, ticks, formula } = current
  if (state?.kind === 'formula') {
    if (formula === null) return NO_OUTPUT
    const { maths, coin0, coin1 } = formula
    return usable(zeroForOne ? maths.bound(coin0, coin1) : maths.bound(coin1, coin0))
  }
  if (state === null) return NO_OUTPUT
  const kept = 1 - feeOf(current, zeroForOne) / Number(FEE_UNITS)
  let reserve0: number
  let reserve1: number
  if (state.kind === 'pair') {
    reserve0 = Number(state.reserve0)
    reserve1 = Number(state.reserve1)
  } else {
    // More liquidity moves the price less, so the largest liquidity of any range bounds all ranges.
    const liquidity = Math.max(Number(state.liquidity), ticks === null ? 0 : Number(ticks.maxLiquidity()))
    const sqrtPrice = Number(state.sqrtPriceX96) / 2 ** 96
    reserve0 = liquidity / sqrtPrice
    reserve1 = liquidity * sqrtPrice
  }
  return zeroForOne ? boundOfReserves(reserve0, reserve1, kept) : boundOfReserves(reserve1, reserve0, kept)
}

/** Returns a bound that can be compared: of values that no honest pool has, floating point may give none. */
function usable(bound: OutputBound): OutputBound {
  return bound.rate >= 0 && bound.rate < Number.POSITIVE_INFINITY && bound.depth >= 0 ? bound : NO_OUTPUT
}
