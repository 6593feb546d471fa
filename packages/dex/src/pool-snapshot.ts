import { callData, hasWords, intWord, smallIntWord, uintWord, WORD } from './abi-words.ts'
import type { Hex } from './hex.ts'
import type { Pool } from './pool.ts'
import type { PoolState, TickLiquidity } from './pool-state.ts'

const GET_RESERVES: Hex = '0x0902f1ac'
const SLOT0: Hex = '0x3850c7bd'
const LIQUIDITY: Hex = '0x1a686502'
/** tickBitmap(int16) */
const TICK_BITMAP: Hex = '0x5339c296'
/** ticks(int24) */
const TICKS: Hex = '0xf30dba93'

/** TickMath.MAX_TICK */
const MAX_TICK = 887_272
const TICKS_PER_WORD = 256

/** Calls that read a pool's state at one block; replies go to `readState`. */
export function stateCalls(pool: Pool): readonly Hex[] {
  return pool.tickSpacing === null ? [GET_RESERVES] : [SLOT0, LIQUIDITY]
}

/** The state in the replies to `stateCalls`, or null when the pool does not answer as its kind should. */
export function readState(pool: Pool, replies: readonly (Hex | null)[]): PoolState | null {
  const [first, second] = replies
  if (first === undefined || first === null) return null
  if (pool.tickSpacing === null) {
    return hasWords(first, 3) ? { kind: 'pair', reserve0: uintWord(first, 0), reserve1: uintWord(first, 1) } : null
  }
  // slot0 begins with sqrtPriceX96 and tick in every fork; what follows differs.
  if (first.length < 2 + 2 * WORD || second === undefined || second === null || !hasWords(second, 1)) return null
  return {
    kind: 'concentrated',
    sqrtPriceX96: uintWord(first, 0),
    tick: smallIntWord(first, 1),
    liquidity: uintWord(second, 0),
  }
}

/** Positions of the bitmap words that can hold initialised ticks (TickBitmap.position: tick / spacing >> 8). */
export function bitmapWords(tickSpacing: number): number[] {
  const highest = Math.floor(Math.floor(MAX_TICK / tickSpacing) / TICKS_PER_WORD)
  const lowest = Math.floor(-Math.floor(MAX_TICK / tickSpacing) / TICKS_PER_WORD)
  return Array.from({ length: highest - lowest + 1 }, (_, index) => lowest + index)
}

export function bitmapCall(word: number): Hex {
  return callData(TICK_BITMAP, word)
}

/** The initialised ticks of one bitmap word. */
export function ticksOfWord(word: number, reply: Hex, tickSpacing: number): number[] {
  const bits = uintWord(reply, 0)
  const ticks: number[] = []
  for (let bit = 0; bits >> BigInt(bit) > 0n; bit++) {
    if ((bits >> BigInt(bit)) & 1n) ticks.push((word * TICKS_PER_WORD + bit) * tickSpacing)
  }
  return ticks
}

export function tickCall(tick: number): Hex {
  return callData(TICKS, tick)
}

/** liquidityGross and liquidityNet are the first two results of `ticks` in every fork. */
export function readTick(tick: number, reply: Hex): TickLiquidity {
  return { tick, gross: uintWord(reply, 0), net: intWord(reply, 1) }
}
