const PLACES = 18

/** Returns a decimal times 10^18, rounded toward zero; null if `value` is not a decimal. */
export function scaledDecimal(value: unknown): bigint | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d{1,60})(?:\.(\d{1,80}))?(?:e([+-]?\d{1,2}))?$/i.exec(String(value)) ?? []
  if (whole === undefined) return null
  const shift = Number(exponent) + PLACES - fraction.length
  const digits = BigInt(whole + fraction)
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
}

/** Returns how far `theirs` is above `ours`, in hundredths of a percent; null if either is unknown, or ours is 0. */
export function basisPoints(ours: bigint | null, theirs: bigint | null): bigint | null {
  if (ours === null || theirs === null || ours === 0n) return null
  return ((theirs - ours) * 10_000n) / ours
}

export function percentText(points: bigint | null): string {
  if (points === null) return ''
  const size = points < 0n ? -points : points
  return `${points < 0n ? '-' : '+'}${size / 100n}.${String(size % 100n).padStart(2, '0')} %`
}
