import { present } from '@dexfeed/dex'

// Columns of a table that only grows. Objects per row would take ten times as much memory.

const FIRST_ROOM = 64

type Numbers = BigInt64Array | Uint32Array | Uint8Array

function withRoom<T extends Numbers>(numbers: T, length: number): T {
  if (length <= numbers.length) return numbers
  const Kind = numbers.constructor as new (length: number) => T
  const larger = new Kind(Math.max(length, 2 * numbers.length))
  ;(larger as Uint8Array).set(numbers as Uint8Array)
  return larger
}

/** Strings stored as bytes: hexadecimal or Latin-1. */
export class TextColumn {
  readonly #encoding: 'hex' | 'latin1'
  #bytes = new Uint8Array(FIRST_ROOM)
  #ends = new Uint32Array(FIRST_ROOM)
  #size = 0

  constructor(encoding: 'hex' | 'latin1') {
    this.#encoding = encoding
  }

  push(text: string): void {
    const bytes = Buffer.from(text, this.#encoding)
    const start = this.#startOf(this.#size)
    this.#bytes = withRoom(this.#bytes, start + bytes.length)
    this.#bytes.set(bytes, start)
    this.#ends = withRoom(this.#ends, this.#size + 1)
    this.#ends[this.#size++] = start + bytes.length
  }

  get(row: number): string {
    const { buffer } = this.#bytes
    const start = this.#startOf(row)
    return Buffer.from(buffer, start, this.#startOf(row + 1) - start).toString(this.#encoding)
  }

  /** Compares a hexadecimal row with an address, without a Buffer: 1,000 prices take 14,000 comparisons. */
  compareWith(row: number, address: `0x${string}`): number {
    const start = this.#startOf(row)
    const length = this.#startOf(row + 1) - start
    const other = address.length / 2 - 1
    for (let at = 0; at < length && at < other; at++) {
      const byte = 16 * digitAt(address, 2 * at + 2) + digitAt(address, 2 * at + 3)
      const difference = present(this.#bytes[start + at]) - byte
      if (difference !== 0) return difference
    }
    return length - other
  }

  #startOf(row: number): number {
    return row === 0 ? 0 : present(this.#ends[row - 1])
  }
}

/** Returns a digit of lower-case hexadecimal. */
function digitAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at)
  return code < 0x3a ? code - 0x30 : code - 0x57
}

/** Stands for null; less than all numbers. */
const NULL = -(2n ** 63n)
/** Stands for a number that does not fit, or equals one of these two. */
const LARGE = NULL + 1n
const MIN = LARGE + 1n
const MAX = 2n ** 63n - 1n

/** Whole numbers of any size. Null sorts below all of them. */
export class WholeColumn {
  #values = new BigInt64Array(FIRST_ROOM)
  readonly #large = new Map<number, bigint>()
  #size = 0

  push(value: bigint | null): void {
    this.#values = withRoom(this.#values, this.#size + 1)
    this.set(this.#size++, value)
  }

  set(row: number, value: bigint | null): void {
    const isLarge = value !== null && (value < MIN || value > MAX)
    this.#values[row] = value === null ? NULL : isLarge ? LARGE : value
    if (isLarge) this.#large.set(row, value)
  }

  get(row: number): bigint | null {
    const value = this.#values[row] ?? NULL
    if (value === NULL) return null
    return value === LARGE ? (this.#large.get(row) ?? null) : value
  }

  compare(a: number, b: number): number {
    const x = this.#values[a] ?? NULL
    const y = this.#values[b] ?? NULL
    if (x === LARGE || y === LARGE) return compareWhole(this.get(a), this.get(b))
    return x === y ? 0 : x < y ? -1 : 1
  }
}

/** Returns a negative number if the first one is less. Unknown is less than any known number. */
export function compareWhole(a: bigint | null, b: bigint | null): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}
