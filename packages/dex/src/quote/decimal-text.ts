import type { Rate } from './pool-maths/pool-in-state.ts'

/** Returns `amount` / 10^`decimals` without trailing zeros. */
export function plainDecimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Returns a rate rounded down to `digits` significant digits, without trailing zeros after the decimal point. */
export function significantDecimal({ numerator, denominator }: Rate, digits: number): string {
  // The lengths give the number of whole digits, or one more.
  const decimals = digits + denominator.toString().length - numerator.toString().length
  const quotient =
    decimals >= 0
      ? (numerator * 10n ** BigInt(decimals)) / denominator
      : numerator / (denominator * 10n ** BigInt(-decimals))
  const excess = quotient.toString().length - digits
  const kept = quotient / 10n ** BigInt(excess)
  const places = decimals - excess
  return places >= 0 ? plainDecimal(kept, places) : (kept * 10n ** BigInt(-places)).toString()
}
