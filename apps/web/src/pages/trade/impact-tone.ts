import { compareDecimals } from '../../format/decimal.ts'

const WARNING_FRACTION = '0.03'
const DANGER_FRACTION = '0.15'

/** Returns how alarming a price impact is, as a fraction of 1; null if it is small. */
export function impactTone(fraction: string): 'warning' | 'danger' | null {
  if (compareDecimals(fraction, DANGER_FRACTION) > 0) return 'danger'
  return compareDecimals(fraction, WARNING_FRACTION) > 0 ? 'warning' : null
}
