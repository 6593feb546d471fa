import { FEE_UNITS } from '../../pool-state.ts'
import { boundOfReserves, type OutputBound } from './output-bound.ts'
import { feeOf, type PoolInState } from './pool-in-state.ts'

/** A curve that the output of a pool in a direction never lies above, with (almost) its marginal rate. */
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
    // More liquidity moves the price less, so the most that any range has bounds them all.
    const liquidity = Math.max(Number(state.liquidity), ticks === null ? 0 : Number(ticks.maxLiquidity()))
    const sqrtPrice = Number(state.sqrtPriceX96) / 2 ** 96
    reserve0 = liquidity / sqrtPrice
    reserve1 = liquidity * sqrtPrice
  }
  return zeroForOne ? boundOfReserves(reserve0, reserve1, kept) : boundOfReserves(reserve1, reserve0, kept)
}
