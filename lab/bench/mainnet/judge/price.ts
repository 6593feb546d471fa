/** Prices here are whole numbers of 10^-60 buy tokens for a whole sell token. */
const DECIMALS = 60
const SIGNIFICANT = 18

/** Returns an exact price. @param amountOut base units that one sell token buys */
export function exactPrice(amountOut: bigint, buyDecimals: number): bigint {
  return amountOut * 10n ** BigInt(DECIMALS - buyDecimals)
}

/** Returns a rate of base units, rounded down to the 18 digits of a response. */
export function marginalPrice(
  rate: { numerator: bigint; denominator: bigint },
  sellDecimals: number,
  buyDecimals: number,
): bigint {
  const whole = (rate.numerator * 10n ** BigInt(DECIMALS + sellDecimals - buyDecimals)) / rate.denominator
  const spare = Math.max(0, whole.toString().length - SIGNIFICANT)
  return whole - (whole % 10n ** BigInt(spare))
}

/** Returns the price of a text; null: the text is not a price. */
export function readPrice(text: string): bigint | null {
  const [, whole, decimals = ''] = /^(\d{1,80})(?:\.(\d{1,60}))?$/.exec(text) ?? []
  return whole === undefined ? null : BigInt(whole + decimals.padEnd(DECIMALS, '0'))
}

/** Returns a price with all digits. */
export function priceText(price: bigint): string {
  const digits = price.toString().padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, '')
}
