const LEAST_FRACTION = 8

/**
 * Returns an amount of base units (digits) in whole units. It is exact: all `decimals` fractional digits and at least
 * eight, so that amount = amount_decimal x 10^decimals always holds. It slices the text, because a list has millions of
 * amounts and `formatUnits` of ethers takes twenty times as long for the same result.
 */
export function amountDecimal(amount: string, decimals: number): string {
  const digits = amount.length > decimals ? amount : amount.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point)
  return `${digits.slice(0, point)}.${decimals < LEAST_FRACTION ? fraction.padEnd(LEAST_FRACTION, '0') : fraction}`
}
