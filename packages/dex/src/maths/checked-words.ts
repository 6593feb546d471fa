import { MAX_UINT256 } from '../abi/words.ts'

const MAX_INT256 = MAX_UINT256 >> 1n

/** Thrown where the contract reverts. A single object, because hostile values may throw it for any amount. */
const REVERTED = new RangeError('the contract reverts')

/** Returns null if a calculation reverts. Dividing a bigint by zero throws a RangeError too. */
export function orNull<T>(calculate: () => T): T | null {
  try {
    return calculate()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

export function revert(): never {
  throw REVERTED
}

export function revertUnless(holds: boolean): void {
  if (!holds) revert()
}

export function uint(value: bigint): bigint {
  return value >= 0n && value <= MAX_UINT256 ? value : revert()
}

export function int(value: bigint): bigint {
  return value <= MAX_INT256 && value >= -MAX_INT256 - 1n ? value : revert()
}

/** Like SafeMath: reverts if the result does not fit in a word. */
export function add(a: bigint, b: bigint): bigint {
  return uint(a + b)
}

export function sub(a: bigint, b: bigint): bigint {
  return uint(a - b)
}

export function mul(a: bigint, b: bigint): bigint {
  return uint(a * b)
}

export function div(a: bigint, b: bigint): bigint {
  return b > 0n ? a / b : revert()
}

/** Divides like the EVM: a divisor of 0 gives 0. */
export function quotient(dividend: bigint, divisor: bigint): bigint {
  return divisor === 0n ? 0n : dividend / divisor
}
