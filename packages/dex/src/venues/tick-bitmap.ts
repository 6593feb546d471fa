import { intWord, uintWord } from '../abi/words.ts'
import type { Hex } from '../chain.ts'
import type { TickLiquidity } from '../pool-state.ts'

/** TickMath.MAX_TICK */
const MAX_TICK = 887_272
const TICKS_PER_WORD = 256

/** Returns the bitmap words that can hold initialised ticks (TickBitmap.position: tick / spacing >> 8). */
export function bitmapWords(tickSpacing: number): number[] {
  const { lowest, count } = wordsAt(tickSpacing)
  return Array.from({ length: count }, (_, index) => lowest + index)
}

export function countBitmapWords(tickSpacing: number): number {
  return wordsAt(tickSpacing).count
}

/** Returns the same words as bit positions; `until` is one past the last. */
export function bitmapRange(bitSpacing: number): { from: number; until: number; bitSpacing: number } {
  const { lowest, count } = wordsAt(bitSpacing)
  return { from: lowest * TICKS_PER_WORD, until: (lowest + count) * TICKS_PER_WORD, bitSpacing }
}

function wordsAt(tickSpacing: number): { lowest: number; count: number } {
  const highest = Math.floor(Math.floor(MAX_TICK / tickSpacing) / TICKS_PER_WORD)
  const lowest = Math.floor(-Math.floor(MAX_TICK / tickSpacing) / TICKS_PER_WORD)
  return { lowest, count: highest - lowest + 1 }
}

export function ticksOfWord(word: number, reply: Hex, tickSpacing: number): number[] {
  const ticks: number[] = []
  const bits = uintWord(reply, 0).toString(2)
  for (let bit = 0; bit < bits.length; bit++) {
    if (bits.at(-1 - bit) === '1') ticks.push((word * TICKS_PER_WORD + bit) * tickSpacing)
  }
  return ticks
}

/** Reads a tick. In every fork the reply of `ticks` begins with liquidityGross and liquidityNet. */
export function readTick(tick: number, reply: Hex): TickLiquidity {
  return { tick, gross: uintWord(reply, 0), net: intWord(reply, 1) }
}
