import { MAX_UINT256 } from '../../abi/words.ts'
import { revert } from '../../maths/integers.ts'

/**
 * Balancer's FixedPoint with 18 decimals: `pkg/solidity-utils/contracts/math/FixedPoint.sol` of balancer-v2-monorepo
 * and balancer-v3-monorepo. Results beyond 256 bits revert.
 */
export const ONE = 10n ** 18n

/**
 * Returns the value unchanged.
 * @throws if it does not fit an unsigned word, where the contract reverts
 */
export function checked(value: bigint): bigint {
  if (value < 0n || value > MAX_UINT256) revert()
  return value
}

/** @throws if the contract reverts */
export function divideDown(dividend: bigint, divisor: bigint): bigint {
  if (divisor === 0n) revert()
  return checked(dividend) / divisor
}

/** @throws if the contract reverts */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  if (divisor === 0n) revert()
  return dividend === 0n ? 0n : (checked(dividend) - 1n) / divisor + 1n
}

export const mulDown = (a: bigint, b: bigint): bigint => checked(a * b) / ONE
export const mulUp = (a: bigint, b: bigint): bigint => divideUp(a * b, ONE)
export const divDown = (a: bigint, b: bigint): bigint => divideDown(a * ONE, b)
export const divUp = (a: bigint, b: bigint): bigint => divideUp(a * ONE, b)
export const complement = (value: bigint): bigint => (value < ONE ? ONE - value : 0n)
