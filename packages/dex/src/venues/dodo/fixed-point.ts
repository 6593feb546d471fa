import { div, mul } from '../../maths/checked-words.ts'

export const ONE = 10n ** 18n
export const ONE2 = ONE * ONE

/** DODO's DecimalMath, with 18 decimals. */
export function mulFloor(target: bigint, d: bigint): bigint {
  return mul(target, d) / ONE
}

export function divFloor(target: bigint, d: bigint): bigint {
  return div(mul(target, ONE), d)
}

export function divCeil(target: bigint, d: bigint): bigint {
  const numerator = mul(target, ONE)
  const quotient = div(numerator, d)
  return quotient * d < numerator ? quotient + 1n : quotient
}

export function reciprocalFloor(target: bigint): bigint {
  return div(ONE2, target)
}
