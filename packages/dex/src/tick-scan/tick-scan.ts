import { intWord, uintWord, wordOf } from '../abi/words.ts'
import type { Address, Hex } from '../chain.ts'
import { MAX_TICK } from '../maths/tick-math.ts'
import type { Pool, PoolAddress } from '../pool.ts'
import type { TickLiquidity } from '../pool-state.ts'
import compiled from './tick-scan.json' with { type: 'json' }

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

/** How code inside the node reads the initialised ticks of one kind of pool (tick-scan.yul). */
export interface TickScan {
  /** Init code; the ranges to scan are appended to it. */
  program: Hex
  /** Returns the contract that holds a pool's ticks. */
  target: (pool: Pool) => Address
  /** Returns the pool's slot in the target's storage, or null if the target has view functions. */
  slot: (pool: Pool) => bigint | null
}

/** Whole words of a pool's bitmap. A position is a tick divided by the spacing of the bitmap's bits. */
export interface ScanRange {
  pool: Pool
  /** At the start of a word, unless a scan continues. */
  from: number
  /** Exclusive; at the start of a word. */
  until: number
  bitSpacing: number
}

export interface ScanPart {
  /** In the order of ranges and ticks. `liquidity` is null if the tick holds more than liquidity. */
  ticks: { pool: PoolAddress; liquidity: TickLiquidity | null }[]
  /** Ranges with a failed call, whose ticks must be ignored. */
  failed: ScanRange[]
  rest: ScanRange[]
}

/** tick-scan.yul uses the same sizes. */
const ANSWER_MARK = '00746b73'
const BYTES = { mark: 4, range: 2, position: 4, flag: 1, liquidity: 32 } as const
const HEADER_BYTES = BYTES.mark + BYTES.range + BYTES.position
const RECORD_BYTES = BYTES.range + BYTES.flag + BYTES.position + BYTES.liquidity
const FLAGS = { liquidity: 0, otherToo: 1, failed: 2 } as const

/**
 * Scans through view functions that take one integer and whose replies begin with gross and net liquidity. A tick holds
 * more than liquidity if its reply has exactly `other.words` words and word `other.at` is not 0.
 */
export function scanByViews(bitmap: Hex, tick: Hex, other?: { words: number; at: number }): TickScan {
  const calls = { bitmap, tick, rangeBytes: 32, bitmapOffset: 0, ticksOffset: 0, words: 2, at: 0, ...other }
  return { program: programFor(calls), target: ({ address }) => address as Address, slot: () => null }
}

/**
 * Scans the storage of a manager, where one word holds net and gross liquidity. `load` is the selector of the function
 * that returns a slot; `offsets` are those of the mappings from the pool's slot.
 */
export function scanStorage(
  load: Hex,
  offsets: { bitmap: bigint; ticks: bigint },
  place: Pick<TickScan, 'target' | 'slot'>,
): TickScan {
  const layout = { bitmapOffset: Number(offsets.bitmap), ticksOffset: Number(offsets.ticks), words: 1, at: 0 }
  return { program: programFor({ bitmap: load, tick: load, rangeBytes: 64, ...layout }), ...place }
}

/**
 * Returns the compiled code followed by its `callsWord`, which is filled from the high end and padded with zeros to 32
 * bytes:
 *
 *     bitmap (4) tick (4) rangeBytes (1) bitmapOffset (1) ticksOffset (1) words (1) at (1)
 *
 * In tick-scan.yul, `calls(8)` is rangeBytes, and `calls(12)` is at.
 */
function programFor(calls: {
  bitmap: Hex
  tick: Hex
  rangeBytes: number
  bitmapOffset: number
  ticksOffset: number
  words: number
  at: number
}): Hex {
  const { bitmap, tick, rangeBytes, bitmapOffset, ticksOffset, words, at } = calls
  const bytes = [rangeBytes, bitmapOffset, ticksOffset, words, at].map((value) => wordOf(value).slice(-2)).join('')
  return `${compiled.bytecode as Hex}${`${bitmap.slice(2)}${tick.slice(2)}${bytes}`.padEnd(64, '0')}`
}

/** Returns init code that scans ranges until it runs out of gas or of space for records. */
export function encodeScan({ program, target, slot }: TickScan, ranges: readonly ScanRange[]): Hex {
  const texts = ranges.map(({ pool, from, until, bitSpacing }) => {
    const ofSlot = slot(pool)
    const numbers = [from, until, bitSpacing].map((number) => wordOf(number).slice(-8))
    return `${ofSlot === null ? '' : wordOf(ofSlot)}${target(pool).slice(2)}${numbers.join('')}`
  })
  return `${program}${texts.join('')}`
}

/** Returns null if the code cannot have returned this for these ranges, or if the scan did not advance. */
export function readScan(answer: Hex, ranges: readonly ScanRange[]): ScanPart | null {
  const records = (answer.length / 2 - 1 - HEADER_BYTES) / RECORD_BYTES
  if (!Number.isInteger(records) || records < 0 || !HEX.test(answer)) return null
  const field = new Fields(answer)
  if (field.text(BYTES.mark) !== ANSWER_MARK) return null
  const reached = { range: field.uint(BYTES.range), position: field.int() }
  const part: ScanPart = { ticks: [], failed: [], rest: [] }
  let last: Place = { range: 0, position: Number.NEGATIVE_INFINITY }
  for (let i = 0; i < records; i++) {
    const index = field.uint(BYTES.range)
    const flag = field.uint(BYTES.flag)
    const position = field.int()
    const liquidity = field.word()
    const range = ranges[index]
    if (range === undefined || !isBefore(last, { range: index, position })) return null
    last = { range: index, position }
    if (flag === FLAGS.failed) {
      part.failed.push(range)
      last.position = Number.POSITIVE_INFINITY
      continue
    }
    if (!isWithin(position, range) || (flag !== FLAGS.liquidity && flag !== FLAGS.otherToo)) return null
    const tick = position * range.bitSpacing
    const only = flag === FLAGS.liquidity ? { tick, ...unpackTick(liquidity) } : null
    part.ticks.push({ pool: range.pool.address, liquidity: only })
  }
  if (reached.range === ranges.length) return part
  const range = ranges[reached.range]
  if (range === undefined || !isWithin(reached.position, range) || !isBefore(last, reached)) return null
  if (reached.range === 0 && reached.position === range.from) return null
  return { ...part, rest: [{ ...range, from: reached.position }, ...ranges.slice(reached.range + 1)] }
}

interface Place {
  range: number
  position: number
}

function isBefore(place: Place, other: Place): boolean {
  return place.range < other.range || (place.range === other.range && place.position < other.position)
}

function isWithin(position: number, { from, until }: ScanRange): boolean {
  return from <= position && position < until
}

/** Unpacks int128 liquidityNet (high half) and uint128 liquidityGross. */
export function unpackTick(packed: bigint): { gross: bigint; net: bigint } {
  return { gross: BigInt.asUintN(128, packed), net: BigInt.asIntN(128, packed >> 128n) }
}

const HEX = /^0x[0-9a-f]*$/i

class Fields {
  readonly #answer: Hex
  #at = 2

  constructor(answer: Hex) {
    this.#answer = answer
  }

  text(bytes: number): string {
    this.#at += 2 * bytes
    return this.#answer.slice(this.#at - 2 * bytes, this.#at)
  }

  uint(bytes: number): number {
    return Number.parseInt(this.text(bytes), 16)
  }

  int(): number {
    return this.uint(BYTES.position) | 0
  }

  word(): bigint {
    return BigInt(`0x${this.text(BYTES.liquidity)}`)
  }
}
