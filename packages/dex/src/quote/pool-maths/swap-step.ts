import { FEE_UNITS } from '../../pool-state.ts'
import { getAmount0Delta, getAmount1Delta, getNextSqrtPriceFromInput } from './sqrt-price-math.ts'

// Uniswap V3 `SwapMath.computeSwapStep` for exact input, in its two outcomes. It reaches the target when the input
// less its fee, floor(input * (1e6 - fee) / 1e6), covers `amountIn`, which is the same as input >= the input that it
// then takes, amountIn + ceil(amountIn * fee / (1e6 - fee)) = ceil(amountIn * 1e6 / (1e6 - fee)). So what a step takes
// to reach its target does not depend on the swap, only on the pool's state.

/** Input, fee included and rounded up, that moves the price from `start` to `target` (Q64.96). */
export function inputToTarget(
  start: bigint,
  target: bigint,
  liquidity: bigint,
  fee: bigint,
  zeroForOne: boolean,
): bigint {
  const amountIn = zeroForOne
    ? getAmount0Delta(target, start, liquidity, true)
    : getAmount1Delta(start, target, liquidity, true)
  const kept = FEE_UNITS - fee
  return (amountIn * FEE_UNITS + kept - 1n) / kept
}

/** Output, rounded down, of moving the price from `start` to `end` (Q64.96). */
export function outputBetween(start: bigint, end: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? getAmount1Delta(end, start, liquidity, false) : getAmount0Delta(start, end, liquidity, false)
}

/** Output, rounded down, of a step whose `input` (fee included) ends before the target. */
export function outputWithin(
  start: bigint,
  liquidity: bigint,
  input: bigint,
  fee: bigint,
  zeroForOne: boolean,
): bigint {
  const lessFee = (input * (FEE_UNITS - fee)) / FEE_UNITS
  const end = getNextSqrtPriceFromInput(start, liquidity, lessFee, zeroForOne)
  return outputBetween(start, end, liquidity, zeroForOne)
}
