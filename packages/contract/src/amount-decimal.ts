const MIN_FRACTION = 8

/**
 * Converts base units (digits) to whole units, exactly: with `decimals` fractional digits, but at least eight. Slices
 * the text, because ethers' `formatUnits` takes twenty times as long, and a list has millions of amounts.
 */
export function amountDecimal(amount: string, decimals: number): string {
  const digits = amount.length > decimals ? amount : amount.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point)
  return `${digits.slice(0, point)}.${decimals < MIN_FRACTION ? fraction.padEnd(MIN_FRACTION, '0') : fraction}`
}
