/** Thrown where a contract reverts: an overflow, a division by zero, a failed check. */
class Revert extends Error {}

const WORD = 1n << 256n
const INT_MAX = (1n << 255n) - 1n

export function revert(reason: string): never {
  throw new Revert(reason)
}

export function check(condition: boolean, reason = 'failed check'): asserts condition {
  if (!condition) revert(reason)
}

/** Returns a number that fits in an unsigned word; otherwise reverts. */
export function uint(value: bigint): bigint {
  check(value >= 0n && value < WORD, 'not a uint256')
  return value
}

/** Returns a number that fits in a signed word; otherwise reverts. */
export function int(value: bigint): bigint {
  check(value >= -INT_MAX - 1n && value <= INT_MAX, 'not an int256')
  return value
}

export const add = (a: bigint, b: bigint) => uint(a + b)
export const sub = (a: bigint, b: bigint) => uint(a - b)

/** Returns a product; every intermediate product must fit in a word. */
export function mul(...factors: bigint[]): bigint {
  return factors.reduce((product, factor) => uint(product * factor), 1n)
}

/** Returns a quotient, rounded down. A division by zero reverts. */
export function div(a: bigint, b: bigint): bigint {
  check(b !== 0n, 'division by zero')
  return a / b
}

/** Truncates a number to an unsigned word, like unchecked arithmetic. */
export const wrap = (value: bigint) => BigInt.asUintN(256, value)

/** Returns an unchecked quotient: zero if the divisor is zero. */
export const uncheckedDiv = (a: bigint, b: bigint) => (b === 0n ? 0n : a / b)

export function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) revert('index out of bounds')
  return item
}

export function sum(list: readonly bigint[]): bigint {
  return list.reduce(add, 0n)
}

export const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a)
export const larger = (a: bigint, b: bigint) => (a > b ? a : b)

/** Returns what a call returns, or null if it reverts. */
export function unlessReverted<T>(call: () => T): T | null {
  try {
    return call()
  } catch (error) {
    if (error instanceof Revert) return null
    throw error
  }
}
