const LEAST_FRACTION = 8

/**
 * An amount of base units (digits) in whole units: exact, with all `decimals` fractional digits and at least eight, so
 * that amount = amount_decimal x 10^decimals always holds to the digit. By slicing: a list has millions of amounts, and
 * `formatUnits` of ethers, which says the same, takes twenty times as long.
 */
export function amountDecimal(amount: string, decimals: number): string {
  const digits = amount.length > decimals ? amount : amount.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point)
  return `${digits.slice(0, point)}.${decimals < LEAST_FRACTION ? fraction.padEnd(LEAST_FRACTION, '0') : fraction}`
}
