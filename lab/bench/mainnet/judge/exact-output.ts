import type { EventState } from '@dexfeed/dex'
import { sqrt } from '@dexfeed/fake-node/pool-math'
import type { MadePool } from '../made/world/pool.ts'

/** Bits that the powers are computed with: more than their rounding could need. */
const PRECISION = 384n
const ONE_Q128 = 1n << 128n
const MAX_UINT256 = 2n ** 256n - 1n
const POWERS = powers()

/** What a swap gives, in base units, and how many initialised ticks it crosses. */
export interface ExactOutput {
  amountOut: bigint
  crossed: number
}

export interface Fraction {
  numerator: bigint
  denominator: bigint
}

type Concentrated = Extract<EventState, { kind: 'concentrated' }>

const MILLION = 1_000_000n
const Q96 = 1n << 96n
const MAX_TICK = 887_272
const WORD_TICKS = 256
/** One inside of the outermost prices, as `UniswapV3Pool.swap` wants its limit. */
const [LOWEST, HIGHEST] = [sqrtRatioAt(-MAX_TICK) + 1n, sqrtRatioAt(MAX_TICK) - 1n]

/** What a pool's contract gives for an amount in a state of it; null where it cannot take all of it. */
export function exactOutput(
  pool: MadePool,
  state: EventState,
  sellsToken0: boolean,
  amountIn: bigint,
): ExactOutput | null {
  if (state.kind === 'concentrated') return concentratedOutput(pool, state, sellsToken0, amountIn)
  const [reserveIn, reserveOut] = sellsToken0 ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
  const lessFee = amountIn * (MILLION - BigInt(pool.fee))
  return { amountOut: (lessFee * reserveOut) / (reserveIn * MILLION + lessFee), crossed: 0 }
}

/** Base units bought for one sold, in the limit of an amount of nothing, less the fee. */
export function marginalRate(pool: MadePool, state: EventState, sellsToken0: boolean): Fraction {
  const kept = MILLION - BigInt(pool.fee)
  const [of0, of1] =
    state.kind === 'pair' ? [state.reserve0, state.reserve1] : [Q96 * Q96, state.sqrtPriceX96 * state.sqrtPriceX96]
  return sellsToken0
    ? { numerator: kept * of1, denominator: MILLION * of0 }
    : { numerator: kept * of0, denominator: MILLION * of1 }
}

/** Step by step as `UniswapV3Pool.swap` goes: to the next initialised tick, or to the end of the bitmap's word. */
function concentratedOutput(pool: MadePool, state: Concentrated, down: boolean, amountIn: bigint): ExactOutput | null {
  const ticks = [...pool.ticks.keys()].sort((a, b) => a - b)
  const fee = BigInt(pool.fee)
  const limit = down ? LOWEST : HIGHEST
  let { sqrtPriceX96: price, tick, liquidity } = state
  let [left, amountOut, crossed] = [amountIn, 0n, 0]
  while (left > 0n) {
    if (price === limit) return null
    const stop = Math.max(-MAX_TICK, Math.min(MAX_TICK, nextStop(ticks, tick, pool.tickSpacing, down)))
    const stopPrice = sqrtRatioAt(stop)
    const target = (down ? stopPrice < limit : stopPrice > limit) ? limit : stopPrice
    const lessFee = (left * (MILLION - fee)) / MILLION
    const toTarget = down ? amount0(target, price, liquidity, true) : amount1(price, target, liquidity, true)
    const reached = lessFee >= toTarget ? target : priceAfter(price, liquidity, lessFee, down)
    amountOut += down ? amount1(reached, price, liquidity, false) : amount0(price, reached, liquidity, false)
    left = reached === target ? left - toTarget - divideUp(toTarget * fee, MILLION - fee) : 0n
    price = reached
    if (reached !== stopPrice) continue
    const net = pool.ticks.get(stop)?.net
    if (net !== undefined) crossed++
    liquidity += down ? -(net ?? 0n) : (net ?? 0n)
    tick = down ? stop - 1 : stop
  }
  return { amountOut, crossed }
}

/** Uniswap V3 `TickBitmap.nextInitializedTickWithinOneWord`. */
function nextStop(ticks: readonly number[], tick: number, spacing: number, down: boolean): number {
  const place = Math.floor(tick / spacing)
  if (down) {
    const border = Math.floor(place / WORD_TICKS) * WORD_TICKS * spacing
    return Math.max(border, ticks.findLast((at) => at <= tick) ?? border)
  }
  const border = (Math.floor((place + 1) / WORD_TICKS) * WORD_TICKS + WORD_TICKS - 1) * spacing
  return Math.min(border, ticks.find((at) => at > tick) ?? border)
}

/** `SqrtPriceMath.getNextSqrtPriceFromInput`: token 0 rounds up, token 1 down. */
function priceAfter(price: bigint, liquidity: bigint, amount: bigint, down: boolean): bigint {
  if (!down) return price + (amount * Q96) / liquidity
  const scaled = liquidity * Q96
  const sum = scaled + amount * price
  return sum < 2n ** 256n ? divideUp(scaled * price, sum) : divideUp(scaled, scaled / price + amount)
}

/** `SqrtPriceMath.getAmount0Delta` and `getAmount1Delta`, of two prices in their order. */
function amount0(low: bigint, high: bigint, liquidity: bigint, up: boolean): bigint {
  const scaled = liquidity * Q96 * (high - low)
  return up ? divideUp(divideUp(scaled, high), low) : scaled / high / low
}

function amount1(low: bigint, high: bigint, liquidity: bigint, up: boolean): bigint {
  const scaled = liquidity * (high - low)
  return up ? divideUp(scaled, Q96) : scaled / Q96
}

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}

/**
 * Returns sqrt(1.0001^tick) as Q64.96, rounded up, like Uniswap V3 `TickMath.getSqrtRatioAtTick`. Its constants are
 * computed here and not copied, so that the judge shares nothing with the judged code.
 */
export function sqrtRatioAt(tick: number): bigint {
  const bits = Math.abs(tick)
  const ratio = POWERS.reduce((kept, power, i) => (((bits >> i) & 1) === 1 ? (kept * power) >> 128n : kept), ONE_Q128)
  const upright = tick > 0 ? MAX_UINT256 / ratio : ratio
  return (upright + 2n ** 32n - 1n) >> 32n
}

/** Returns 1.0001^(-2^i / 2) as Q128.128, to the nearest. */
function powers(): bigint[] {
  const one = 1n << PRECISION
  const below = PRECISION - 128n
  let power = sqrt((one * one * 10_000n) / 10_001n)
  return Array.from({ length: 20 }, () => {
    const rounded = (power + (1n << (below - 1n))) >> below
    power = (power * power) >> PRECISION
    return rounded
  })
}
