// A plain transcription of the swap loop of Uniswap V3 (UniswapV3Pool.swap, TickBitmap, SwapMath, SqrtPriceMath) for
// exact input. It is slow, with a real bitmap and single steps, and serves as the reference for the fast
// implementation. Pools of spacing 0 step along a list of ticks instead, like Algebra's SwapCalculation.

import { getSqrtRatioAtTick, MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK } from '../src/maths/tick-math.ts'
import type { ConcentratedState, TickLiquidity } from '../src/pool-state.ts'

const Q96 = 1n << 96n
const MAX_UINT256 = 2n ** 256n - 1n

export interface ReferencePool {
  state: ConcentratedState
  ticks: readonly TickLiquidity[]
  spacing: number
  fee: bigint
}

export interface ReferenceSwap {
  amountOut: bigint
  /** Input left over after the price limit was reached. */
  remaining: bigint
  sqrtPriceX96: bigint
}

export function referenceSwap(pool: ReferencePool, zeroForOne: boolean, amountIn: bigint): ReferenceSwap {
  const bitmap = pool.spacing === 0 ? new Map<number, bigint>() : bitmapOf(pool)
  const nets = new Map(pool.ticks.map((row) => [row.tick, row.net]))
  const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n
  let { sqrtPriceX96, tick, liquidity } = pool.state
  let remaining = amountIn
  let amountOut = 0n
  while (remaining !== 0n && sqrtPriceX96 !== limit) {
    const next =
      pool.spacing === 0
        ? nextTickOfList(pool.ticks, tick, zeroForOne)
        : nextInitializedTickWithinOneWord(bitmap, tick, pool.spacing, zeroForOne)
    const tickNext = Math.min(Math.max(next.tick, MIN_TICK), MAX_TICK)
    const priceNext = getSqrtRatioAtTick(tickNext)
    const beyond = zeroForOne ? priceNext < limit : priceNext > limit
    const step = computeSwapStep(sqrtPriceX96, beyond ? limit : priceNext, liquidity, remaining, pool.fee)
    remaining -= step.amountIn + step.feeAmount
    amountOut += step.amountOut
    if (step.sqrtPriceX96 === priceNext) {
      if (next.initialized) liquidity += (zeroForOne ? -1n : 1n) * (nets.get(tickNext) ?? 0n)
      tick = zeroForOne ? tickNext - 1 : tickNext
    }
    sqrtPriceX96 = step.sqrtPriceX96
  }
  return { amountOut, remaining, sqrtPriceX96 }
}

function bitmapOf({ ticks, spacing }: ReferencePool): Map<number, bigint> {
  const bitmap = new Map<number, bigint>()
  for (const { tick } of ticks) {
    const compressed = tick / spacing
    const word = compressed >> 8
    bitmap.set(word, (bitmap.get(word) ?? 0n) | (1n << BigInt(compressed & 255)))
  }
  return bitmap
}

/** The list begins with the lowest possible tick and ends with the highest. */
function nextTickOfList(ticks: readonly TickLiquidity[], at: number, lte: boolean) {
  const listed = [MIN_TICK, ...ticks.map(({ tick }) => tick), MAX_TICK]
  const ahead = listed.filter((tick) => (lte ? tick <= at : tick > at))
  return { tick: lte ? Math.max(...ahead) : Math.min(...ahead), initialized: true }
}

function nextInitializedTickWithinOneWord(
  bitmap: Map<number, bigint>,
  tick: number,
  spacing: number,
  lte: boolean,
): { tick: number; initialized: boolean } {
  let compressed = Math.trunc(tick / spacing)
  if (tick < 0 && tick % spacing !== 0) compressed--
  if (!lte) compressed++
  const word = bitmap.get(compressed >> 8) ?? 0n
  let bit = compressed & 255
  while (((word >> BigInt(bit)) & 1n) === 0n && bit !== (lte ? 0 : 255)) bit += lte ? -1 : 1
  const initialized = ((word >> BigInt(bit)) & 1n) === 1n
  return { tick: (compressed - (compressed & 255) + bit) * spacing, initialized }
}

function computeSwapStep(current: bigint, target: bigint, liquidity: bigint, remaining: bigint, fee: bigint) {
  const zeroForOne = current >= target
  const lessFee = (remaining * (1_000_000n - fee)) / 1_000_000n
  let amountIn = zeroForOne ? amount0(target, current, liquidity, true) : amount1(current, target, liquidity, true)
  const next = lessFee >= amountIn ? target : nextPrice(current, liquidity, lessFee, zeroForOne)
  const max = next === target
  if (!max) amountIn = zeroForOne ? amount0(next, current, liquidity, true) : amount1(current, next, liquidity, true)
  const amountOut = zeroForOne ? amount1(next, current, liquidity, false) : amount0(current, next, liquidity, false)
  const feeAmount = max ? up(amountIn * fee, 1_000_000n - fee) : remaining - amountIn
  return { sqrtPriceX96: next, amountIn, amountOut, feeAmount }
}

function nextPrice(price: bigint, liquidity: bigint, amount: bigint, zeroForOne: boolean): bigint {
  if (!zeroForOne) return price + (amount << 96n) / liquidity
  if (amount === 0n) return price
  const numerator = liquidity << 96n
  const product = amount * price
  if (product <= MAX_UINT256 && numerator + product <= MAX_UINT256) return up(numerator * price, numerator + product)
  return up(numerator, numerator / price + amount)
}

function amount0(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const numerator = (liquidity << 96n) * (upper - lower)
  return roundUp ? up(up(numerator, upper), lower) : numerator / upper / lower
}

function amount1(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  return roundUp ? up(liquidity * (upper - lower), Q96) : (liquidity * (upper - lower)) / Q96
}

function up(numerator: bigint, denominator: bigint): bigint {
  return numerator / denominator + (numerator % denominator === 0n ? 0n : 1n)
}
