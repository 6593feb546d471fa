/** Swaps by constant product (Uniswap V2), and within one range of liquidity (Uniswap V3). */
import type { EventState } from '@dexfeed/dex'

export const Q96 = 2n ** 96n
const MAX_TICK = 887_272
const MILLION = 1_000_000n

export type Pair = Extract<EventState, { kind: 'pair' }>
export type Range = Extract<EventState, { kind: 'concentrated' }>

/** Amounts are positive if paid to the pool. */
export interface Swapped<State> {
  amount0: bigint
  amount1: bigint
  amountOut: bigint
  after: State
}

/** @param fee in millionths */
export function swapPair(
  { reserve0, reserve1 }: Pick<Pair, 'reserve0' | 'reserve1'>,
  zeroForOne: boolean,
  amountIn: bigint,
  fee: number,
): Swapped<Pair> {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const taxed = amountIn * BigInt(1_000_000 - fee)
  const amountOut = (taxed * reserveOut) / (reserveIn * MILLION + taxed)
  const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  const after: Pair = { kind: 'pair', reserve0: reserve0 + amount0, reserve1: reserve1 + amount1 }
  return { amount0, amount1, amountOut, after }
}

/**
 * Swaps as if no tick were crossed.
 *
 * @param fee in millionths
 */
export function swapRange(
  { sqrtPriceX96: price, liquidity }: Pick<Range, 'sqrtPriceX96' | 'liquidity'>,
  zeroForOne: boolean,
  amountIn: bigint,
  fee: number,
): Swapped<Range> {
  const taken = fee === 0 ? amountIn : (amountIn * (MILLION - BigInt(fee))) / MILLION
  const next = zeroForOne
    ? (liquidity * Q96 * price) / (liquidity * Q96 + taken * price)
    : price + (taken * Q96) / liquidity
  const amountOut = zeroForOne
    ? (liquidity * (price - next)) / Q96
    : (liquidity * Q96 * (next - price)) / (next * price)
  const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  const after: Range = { kind: 'concentrated', sqrtPriceX96: next, tick: tickAt(next), liquidity }
  return { amount0, amount1, amountOut, after }
}

export function liquidityAt(ticks: ReadonlyMap<number, { net: bigint }>, tick: number): bigint {
  let liquidity = 0n
  for (const [at, { net }] of ticks) if (at <= tick) liquidity += net
  return liquidity
}

/** Has a double's precision, so near a boundary the tick may be off by one. */
export function tickAt(sqrtPriceX96: bigint): number {
  return Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001))
}

export function edgeTick(tickSpacing: number): number {
  return Math.floor(MAX_TICK / tickSpacing) * tickSpacing
}

/** Returns the square root, rounded down (Newton's method). */
export function sqrt(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  for (;;) {
    const better = (root + value / root) >> 1n
    if (better === root || better === root + 1n) return better
    root = better
  }
}
