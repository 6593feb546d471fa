const MIN_FRACTION = 8

/**
 * Returns an amount of base units (digits) in whole units, exactly: with all `decimals` fractional digits, at least eight.
 * It slices text: `formatUnits` of ethers takes twenty times as long, and a list has millions of amounts.
 */
export function amountDecimal(amount: string, decimals: number): string {
  const digits = amount.length > decimals ? amount : amount.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point)
  return `${digits.slice(0, point)}.${decimals < MIN_FRACTION ? fraction.padEnd(MIN_FRACTION, '0') : fraction}`
}
