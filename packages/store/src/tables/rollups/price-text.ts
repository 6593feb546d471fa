import { PRICE_DIGITS } from './price-rule.ts'

/** Most significant digits. */
const DIGITS = 18

/** Returns the text of a stored price; null if the price or the token's decimals are not known. */
export function storedPriceText(price: string | bigint | null, decimals: number | null | undefined): string | null {
  return price === null || decimals == null ? null : priceText(BigInt(price), decimals)
}

/**
 * Returns the price of a whole token in USD as a plain decimal, rounded down to 18 significant digits.
 *
 * @param price USD per base unit times 10^42, as `pricesOf` returns it
 */
export function priceText(price: bigint, decimals: number): string {
  const digits = String(price)
  const kept = digits.slice(0, DIGITS).padEnd(digits.length, '0')
  const places = PRICE_DIGITS - decimals
  if (places <= 0) return kept + '0'.repeat(-places)
  const padded = kept.padStart(places + 1, '0')
  const fraction = padded.slice(-places).replace(/0+$/, '')
  const whole = padded.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
