import { FEE_UNITS } from '../../pool-state.ts'
import { feeOf, type PoolInState } from './pool-in-state.ts'

/**
 * A constant-product curve that a pool's output never exceeds: output <= amount * rate / (1 + amount * depth). Floating
 * point on purpose: bounds only show which pools cannot win, and the amounts themselves are computed exactly.
 */
export interface OutputBound {
  /** Marginal rate, fee included. */
  rate: number
  /** How fast the rate falls with the amount; 0: not at all. */
  depth: number
}

/** Far more than all rounding of the few floating-point operations below. */
const SLACK = 1 + 1e-9

/** Returns the bound of a pool with these (virtual) reserves; `kept` is what the fee leaves of the input, out of 1. */
export function boundOfReserves(reserveIn: number, reserveOut: number, kept: number): OutputBound {
  if (reserveIn === 0 || reserveOut === 0) return { rate: 0, depth: 0 }
  return { rate: (reserveOut / reserveIn) * kept, depth: kept / reserveIn }
}

/** Returns an output that `amount` or less cannot exceed; infinite if floating point cannot decide. */
export function upperBound(rate: number, depth: number, amount: number): number {
  const bound = ((amount * rate) / (1 + amount * depth)) * SLACK
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound
}

/** Returns a curve that the output of a pool in one direction never exceeds, with (almost) its marginal rate. */
export function boundOf(current: PoolInState, zeroForOne: boolean): OutputBound {
  const { state, ticks } = current
  if (state === null) return boundOfReserves(0, 0, 0)
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
