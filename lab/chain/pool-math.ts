/** Swaps by constant product (Uniswap V2), and within one range of liquidity (Uniswap V3). */
import type { EventState } from '@dexfeed/dex'

export const Q96 = 2n ** 96n
const MILLION = 1_000_000n

export type Ticks = ReadonlyMap<number, { gross: bigint; net: bigint }>

export interface Position {
  lower: number
  upper: number
  liquidity: bigint
}

type PairState = Extract<EventState, { kind: 'pair' }>
export type RangeState = Extract<EventState, { kind: 'concentrated' }> & { ticks: Ticks }
export type PoolState = PairState | RangeState

/** Amounts are positive if paid to the pool. */
export interface Swapped {
  amount0: bigint
  amount1: bigint
  after: PoolState
}

/**
 * A pool with ticks takes no fee, and its amounts are as if no tick were crossed: events only have to agree with its
 * state. Returns null if the pool would pay nothing.
 *
 * @param fee of a pair, in millionths
 */
export function swapIn(state: PoolState, fee: number, zeroForOne: boolean, amountIn: bigint): Swapped | null {
  const [amountOut, after] =
    state.kind === 'pair' ? swapPair(state, fee, zeroForOne, amountIn) : swapRange(state, zeroForOne, amountIn)
  if (amountIn <= 0n || amountOut <= 0n) return null
  return zeroForOne
    ? { amount0: amountIn, amount1: -amountOut, after }
    : { amount0: -amountOut, amount1: amountIn, after }
}

function swapPair(
  { kind, reserve0, reserve1 }: PairState,
  fee: number,
  zeroForOne: boolean,
  amountIn: bigint,
): [amountOut: bigint, after: PoolState] {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const taxed = amountIn * BigInt(1_000_000 - fee)
  const amountOut = (taxed * reserveOut) / (reserveIn * MILLION + taxed)
  return zeroForOne
    ? [amountOut, { kind, reserve0: reserve0 + amountIn, reserve1: reserve1 - amountOut }]
    : [amountOut, { kind, reserve0: reserve0 - amountOut, reserve1: reserve1 + amountIn }]
}

function swapRange(state: RangeState, zeroForOne: boolean, amountIn: bigint): [amountOut: bigint, after: PoolState] {
  const { sqrtPriceX96: price, liquidity, ticks } = state
  const next = zeroForOne
    ? (liquidity * Q96 * price) / (liquidity * Q96 + amountIn * price)
    : price + (amountIn * Q96) / liquidity
  const amountOut = zeroForOne
    ? (liquidity * (price - next)) / Q96
    : (liquidity * Q96 * (next - price)) / (next * price)
  const tick = tickAt(next)
  return [amountOut, { ...state, sqrtPriceX96: next, tick, liquidity: liquidityAt(ticks, tick) }]
}

/** Adds liquidity to a range of ticks, or removes it if `liquidity` is negative. */
export function moveLiquidity(state: RangeState, { lower, upper, liquidity: delta }: Position): RangeState {
  const ticks = new Map(state.ticks)
  const change = (tick: number, net: bigint) => {
    const before = ticks.get(tick) ?? { gross: 0n, net: 0n }
    const after = { gross: before.gross + delta, net: before.net + net }
    if (after.gross === 0n) ticks.delete(tick)
    else ticks.set(tick, after)
  }
  change(lower, delta)
  change(upper, -delta)
  return { ...state, ticks, liquidity: liquidityAt(ticks, state.tick) }
}

function liquidityAt(ticks: Ticks, tick: number): bigint {
  let liquidity = 0n
  for (const [at, { net }] of ticks) if (at <= tick) liquidity += net
  return liquidity
}

/** Has a double's precision, so near a boundary the tick may be off by one. */
export function tickAt(sqrtPriceX96: bigint): number {
  return Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001))
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
