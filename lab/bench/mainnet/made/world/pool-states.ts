import type { Hex } from '@dexfeed/dex'
import { mix } from './mix.ts'
import { type MadePool, word } from './pool.ts'

/** A pool after some number of its swaps. */
export type MadeState =
  | { kind: 'pair'; reserve0: bigint; reserve1: bigint }
  | { kind: 'concentrated'; sqrtPriceX96: bigint; tick: number; liquidity: bigint }

/** What a swap paid the pool (positive) and was paid by it (negative), and the data of the events that tell of it. */
export interface MadeSwap {
  amount0: bigint
  amount1: bigint
  /** Of a pair's Sync, before its Swap; null for others. */
  sync: Hex | null
  data: Hex
}

const Q96 = 2n ** 96n
/** A pair's price moves by a hundredth of a percent for so many parts of its reserve. */
const PARTS = 20_000n

/**
 * The state of a pool after a number of its swaps: of the price alone, above its centre after an even number, below
 * after an odd one. So the state after any number follows from that number, and neighbours are never the same.
 */
export function stateAfter(pool: MadePool, swaps: number): MadeState {
  const distance = 1 + (mix(pool.rank, swaps, 7) % pool.reach)
  const offset = swaps % 2 === 0 ? distance : -distance
  if (pool.kind === 'uniswap-v2') {
    const [centre0, centre1] = pool.reserves
    const reserve0 = centre0 + (centre0 * BigInt(offset)) / PARTS
    return { kind: 'pair', reserve0, reserve1: (centre0 * centre1) / reserve0 }
  }
  const tick = pool.centre + offset
  // Amid the tick, so that no rounding and no end of a position is near.
  return { kind: 'concentrated', sqrtPriceX96: sqrtPriceAt(tick + 0.5), tick, liquidity: liquidityAt(pool, tick) }
}

/** The swap that moves a pool from one state to another. Fees stay with a V3 pool's owners, outside of its state; a pair takes none. */
export function swapBetween(pool: MadePool, before: MadeState, after: MadeState): MadeSwap {
  if (before.kind === 'pair' && after.kind === 'pair') {
    const amount0 = after.reserve0 - before.reserve0
    const amount1 = after.reserve1 - before.reserve1
    const [in0, in1, out0, out1] = [paid(amount0), paid(amount1), paid(-amount0), paid(-amount1)]
    return {
      amount0,
      amount1,
      sync: dataOf(after.reserve0, after.reserve1),
      data: dataOf(in0, in1, out0, out1),
    }
  }
  if (before.kind === 'pair' || after.kind === 'pair') throw new Error('a pool changes its kind')
  const [gross0, gross1] = amountsBetween(pool, before, after)
  const withFee = (amount: bigint) => (amount > 0n ? (amount * 1_000_000n) / BigInt(1_000_000 - pool.fee) + 1n : amount)
  const [amount0, amount1] = [withFee(gross0), withFee(gross1)]
  const { sqrtPriceX96, liquidity, tick } = after
  const protocolFees = pool.kind === 'pancakeswap-v3' ? [0n, 0n] : []
  return {
    amount0,
    amount1,
    sync: null,
    data: dataOf(amount0, amount1, sqrtPriceX96, liquidity, BigInt(tick), ...protocolFees),
  }
}

/** The liquidity of the positions that a tick lies in. */
function liquidityAt({ ticks }: MadePool, tick: number): bigint {
  let liquidity = 0n
  for (const [at, { net }] of ticks) if (at <= tick) liquidity += net
  return liquidity
}

/** sqrt(1.0001^tick) as Q64.96, as exact as a double. */
function sqrtPriceAt(tick: number): bigint {
  return BigInt(Math.floor(1.0001 ** (tick / 2) * 2 ** 96))
}

/** 32-byte words as ABI data. */
export function dataOf(...values: readonly bigint[]): Hex {
  return `0x${values.map(word).join('')}`
}

/** Both tokens' amounts of a move of the price, position by position, without fees (Uniswap V3 white paper, 6.2). */
function amountsBetween(
  pool: MadePool,
  before: Extract<MadeState, { kind: 'concentrated' }>,
  after: Extract<MadeState, { kind: 'concentrated' }>,
): [bigint, bigint] {
  const rises = after.tick > before.tick
  const [low, high] = rises ? [before, after] : [after, before]
  const crossed = [...pool.ticks.keys()].filter((tick) => tick > low.tick && tick <= high.tick).sort((a, b) => a - b)
  const ends = [low.sqrtPriceX96, ...crossed.map(sqrtPriceAt), high.sqrtPriceX96]
  let [amount0, amount1] = [0n, 0n]
  for (let i = 0; i + 1 < ends.length; i++) {
    const [from, to] = [ends[i] ?? 0n, ends[i + 1] ?? 0n]
    const liquidity = liquidityAt(pool, i === 0 ? low.tick : (crossed[i - 1] ?? 0))
    amount0 += (liquidity * Q96 * (to - from)) / (to * from)
    amount1 += (liquidity * (to - from)) / Q96
  }
  return rises ? [-amount0, amount1] : [amount0, -amount1]
}

function paid(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
