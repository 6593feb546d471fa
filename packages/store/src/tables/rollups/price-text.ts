import { PRICE_DIGITS } from './price-rule.ts'

const DIGITS = 18

/** Null if the price or the token's decimals are unknown. */
export function storedPriceText(price: string | bigint | null, decimals: number | null | undefined): string | null {
  return price === null || decimals == null ? null : priceText(price, decimals)
}

const ZERO = '0'.charCodeAt(0)

/**
 * Returns the price of a whole token in USD, rounded down to 18 significant digits.
 *
 * @param price USD per base unit times 10^42, or its digits
 */
export function priceText(price: bigint | string, decimals: number): string {
  const digits = String(price)
  const places = PRICE_DIGITS - decimals
  /** Digits before the point; none or fewer if the price is below 1. */
  const whole = digits.length - places
  let end = Math.min(DIGITS, digits.length)
  while (end > Math.max(whole, 0) && digits.charCodeAt(end - 1) === ZERO) end--
  const kept = digits.slice(0, end)
  if (whole >= end) return kept.padEnd(whole, '0')
  return whole > 0 ? `${kept.slice(0, whole)}.${kept.slice(whole)}` : `0.${kept.padStart(end - whole, '0')}`
}
