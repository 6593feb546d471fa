/** Amounts and prices are decimal strings. They are rounded as integers, because a float would change digits. */

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/
const UNITS = ['', 'K', 'M', 'B', 'T'] as const

interface Decimal {
  negative: boolean
  /** The value times 10^scale. */
  digits: bigint
  scale: number
}

/** Formats a decimal with thousands separators, rounded half up to at most `places` fractional digits. */
export function decimalText(text: string, places: number, leastPlaces = 0): string {
  const value = parse(text)
  if (value === null) return text
  const rounded = round(value, places)
  const whole = rounded / 10n ** BigInt(places)
  const fraction = places === 0 ? '' : String(rounded % 10n ** BigInt(places)).padStart(places, '0')
  const kept = fraction.replace(/0+$/, '').padEnd(leastPlaces, '0')
  const sign = value.negative && rounded !== 0n ? '−' : ''
  return `${sign}${grouped(whole)}${kept === '' ? '' : `.${kept}`}`
}

/** Formats a decimal with about `count` significant digits, but at least `leastPlaces` after the point. */
export function significantText(text: string, count: number, leastPlaces = 0): string {
  const value = parse(text)
  if (value === null) return text
  const length = value.digits === 0n ? 0 : String(value.digits).length
  // Position of the first non-zero digit: 1 for units, 0 for tenths.
  const first = length - value.scale
  return decimalText(text, Math.max(leastPlaces, Math.min(count - first, value.scale)), leastPlaces)
}

/** Formats a decimal in at most five characters and a unit: `12.3K`, `4.56M`. */
export function compactText(text: string, smallPlaces = 2): string {
  const value = parse(text)
  if (value === null) return text
  for (let unit = 0; unit < UNITS.length; unit++) {
    const scaled = { ...value, scale: value.scale + 3 * unit }
    const whole = scaled.digits / 10n ** BigInt(scaled.scale)
    const places = unit === 0 ? smallPlaces : Math.max(0, 3 - String(whole).length)
    const isLast = unit === UNITS.length - 1
    if (!isLast && round(scaled, places) >= 1000n * 10n ** BigInt(places)) continue
    return decimalText(shifted(value, 3 * unit), places, places) + UNITS[unit]
  }
  return text
}

export function signOf(text: string): -1 | 0 | 1 {
  const value = parse(text)
  if (value === null || value.digits === 0n) return 0
  return value.negative ? -1 : 1
}

/** Returns `text` / `total` between 0 and 1, precise enough for the length of a bar. */
export function shareOf(text: string, total: string): number {
  const part = Number(text)
  const whole = Number(total)
  return whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0
}

export function sumOf(texts: readonly string[]): string {
  const values = texts.flatMap((text) => parse(text) ?? [])
  const scale = Math.max(0, ...values.map((value) => value.scale))
  const total = values.reduce((sum, { negative, digits, scale: own }) => {
    const part = digits * 10n ** BigInt(scale - own)
    return negative ? sum - part : sum + part
  }, 0n)
  return shifted({ negative: total < 0n, digits: total < 0n ? -total : total, scale }, 0)
}

const RATIO_PLACES = 18

/** Returns one decimal divided by another, rounded down to 18 places; null if either is unknown, or the other is 0. */
export function ratioOf(text: string | null, other: string | null): string | null {
  const value = parse(text ?? '')
  const divisor = parse(other ?? '')
  if (value === null || divisor === null || divisor.digits === 0n) return null
  const digits = (value.digits * 10n ** BigInt(divisor.scale + RATIO_PLACES)) / divisor.digits
  return shifted({ negative: false, digits, scale: value.scale + RATIO_PLACES }, 0)
}

/** Converts base units to whole units, without rounding. */
export function unitsText(amount: string, decimals: number): string {
  const value = parse(amount)
  return value === null ? amount : shifted(value, decimals)
}

/** Converts a fraction to a percentage without rounding: `0.0053` becomes `0.5300`. */
export function percentText(fraction: string): string {
  const value = parse(fraction)
  return value === null ? fraction : shifted({ ...value, digits: value.digits * 100n }, 0)
}

function parse(text: string): Decimal | null {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (sign === undefined) return null
  return { negative: sign === '-', digits: BigInt(whole + fraction), scale: fraction.length }
}

/** Returns the value times 10^places, rounded half up. */
function round({ digits, scale }: Decimal, places: number): bigint {
  if (places >= scale) return digits * 10n ** BigInt(places - scale)
  const unit = 10n ** BigInt(scale - places)
  return (digits + unit / 2n) / unit
}

/** Returns the value divided by 10^places, as a decimal string. */
function shifted({ negative, digits, scale }: Decimal, places: number): string {
  const all = scale + places
  const padded = String(digits).padStart(all + 1, '0')
  const cut = padded.length - all
  return `${negative ? '-' : ''}${padded.slice(0, cut)}${all === 0 ? '' : `.${padded.slice(cut)}`}`
}

function grouped(whole: bigint): string {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Orders decimals by value, exactly. */
export function compareDecimals(one: string, other: string): number {
  return signOf(sumOf([one, negated(other)]))
}

function negated(text: string): string {
  return text.startsWith('-') ? text.slice(1) : `-${text}`
}
