import { wordOf } from '../abi/words.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Pool, PoolAddress } from '../pool.ts'
import type { TickLiquidity } from '../pool-state.ts'
import {
  ANSWER_BYTES,
  ANSWER_MARK,
  FLAGS,
  HEADER_BYTES,
  RECORD_BYTES,
  type ScanCalls,
  scanProgram,
} from './scan-program.ts'

/** How the initialised ticks of the pools of a kind are read by code that runs inside of the node. */
export interface TickScan {
  /** Init code; the ranges to scan follow it. */
  program: Hex
  /** The contract that knows the ticks of a pool. */
  target: (pool: Pool) => Address
  /** The pool's slot in the target's storage; null where it has functions of its own. */
  slot: (pool: Pool) => bigint | null
}

/** Whole words of a pool's bitmap, as ticks by the spacing of its bits. */
export interface ScanRange {
  pool: Pool
  /** The first tick; on a word's border but where a scan goes on. */
  from: number
  /** On a word's border; not part of it. */
  until: number
  bitSpacing: number
}

/** What one answer tells of some ranges. */
export interface ScanPart {
  /** In the order of ranges and ticks. Null: more than liquidity stands there. */
  ticks: { pool: PoolAddress; liquidity: TickLiquidity | null }[]
  /** Ranges of which a call failed: nothing of them counts. */
  failed: ScanRange[]
  /** What is not scanned yet. */
  rest: ScanRange[]
}

/** @param place of the pool's ticks, where they are in the storage of a manager */
export function tickScan(
  calls: ScanCalls,
  place: Pick<TickScan, 'target' | 'slot'> = { target: ({ address }) => address as Address, slot: () => null },
): TickScan {
  return { program: scanProgram(calls), ...place }
}

/** Init code that scans ranges of pools of one kind, as far as its gas reaches. */
export function encodeScan({ program, target, slot }: TickScan, ranges: readonly ScanRange[]): Hex {
  const texts = ranges.map(({ pool, from, until, bitSpacing }) => {
    const ofSlot = slot(pool)
    const numbers = [from, until, bitSpacing].map((number) => wordOf(number).slice(-8))
    return `${ofSlot === null ? '' : wordOf(ofSlot)}${target(pool).slice(2)}${numbers.join('')}`
  })
  return `${program}${texts.join('')}`
}

/** What an answer tells; null: it is none that the code gives to these ranges, or one that tells nothing. */
export function readScan(answer: Hex, ranges: readonly ScanRange[]): ScanPart | null {
  const records = (answer.length / 2 - 1 - HEADER_BYTES) / RECORD_BYTES
  if (!Number.isInteger(records) || records < 0 || !HEX.test(answer)) return null
  const field = new Fields(answer)
  if (field.text(ANSWER_BYTES.mark) !== ANSWER_MARK) return null
  const reached = { range: field.uint(ANSWER_BYTES.range), position: field.int() }
  const part: ScanPart = { ticks: [], failed: [], rest: [] }
  let told: Place = { range: 0, position: Number.NEGATIVE_INFINITY }
  for (let i = 0; i < records; i++) {
    const index = field.uint(ANSWER_BYTES.range)
    const flag = field.uint(ANSWER_BYTES.flag)
    const position = field.int()
    const liquidity = field.word()
    const range = ranges[index]
    if (range === undefined || !isBefore(told, { range: index, position })) return null
    told = { range: index, position }
    if (flag === FLAGS.failed) {
      part.failed.push(range)
      told.position = Number.POSITIVE_INFINITY
      continue
    }
    if (!isWithin(position, range) || (flag !== FLAGS.liquidity && flag !== FLAGS.otherToo)) return null
    const tick = position * range.bitSpacing
    const only = flag === FLAGS.liquidity ? { tick, ...unpackTick(liquidity) } : null
    part.ticks.push({ pool: range.pool.address, liquidity: only })
  }
  if (reached.range === ranges.length) return part
  const range = ranges[reached.range]
  if (range === undefined || !isWithin(reached.position, range) || !isBefore(told, reached)) return null
  if (reached.range === 0 && reached.position === range.from) return null
  return { ...part, rest: [{ ...range, from: reached.position }, ...ranges.slice(reached.range + 1)] }
}

/** A tick by the spacing of the bits, in one of the ranges. */
interface Place {
  range: number
  position: number
}

function isBefore(one: Place, other: Place): boolean {
  return one.range < other.range || (one.range === other.range && one.position < other.position)
}

function isWithin(position: number, { from, until }: ScanRange): boolean {
  return from <= position && position < until
}

/** int128 liquidityNet, uint128 liquidityGross */
export function unpackTick(packed: bigint): Pick<TickLiquidity, 'gross' | 'net'> {
  return { gross: BigInt.asUintN(128, packed), net: BigInt.asIntN(128, packed >> 128n) }
}

const HEX = /^0x[0-9a-f]*$/i

/** The fields of an answer, one after the other. */
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
    return this.uint(ANSWER_BYTES.position) | 0
  }

  word(): bigint {
    return BigInt(`0x${this.text(ANSWER_BYTES.liquidity)}`)
  }
}
