const DIGITS = 8

/** USD scaled by 1e8 as a decimal with exactly eight fractional digits. */
export function usdText(usdE8: bigint): string {
  const digits = (usdE8 < 0n ? -usdE8 : usdE8).toString().padStart(DIGITS + 1, '0')
  return `${usdE8 < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`
}

/** The inverse of `usdText`; a sum over no rows comes without a fraction. */
export function usdE8Of(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  if (fraction.length > DIGITS) throw new RangeError(`${text} has more than ${DIGITS} fractional digits`)
  return BigInt(whole + fraction.padEnd(DIGITS, '0'))
}
