import { MAX_UINT256 } from '../abi/words.ts'

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** Both must be positive. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}

export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  const near = Math.sqrt(Number(value))
  // Start slightly above the root, from where Newton's method descends. Some values exceed floating point.
  let root = Number.isFinite(near)
    ? BigInt(Math.floor(near * (1 + 1e-12))) + 2n
    : 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (value / root + root) >> 1n
    if (next >= root) return root
    root = next
  }
}

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
