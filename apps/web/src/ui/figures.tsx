import { compactText, decimalText, significantText, signOf, unitsText } from '../format/decimal.ts'

export const UNKNOWN = (
  <span class="unknown" title="Not known">
    –
  </span>
)

/** Shows USD. An unknown value is a dash, never zero. */
export function Usd({ value, exact = false }: { value: string | null; exact?: boolean }) {
  if (value === null) return UNKNOWN
  const text = exact ? decimalText(value, 2, 2) : compactText(value)
  return <span title={`$${decimalText(value, 8, 2)}`}>{withDollar(text)}</span>
}

/** Returns the colour of what rose, fell or stayed. */
export function toneOf(change: string): 'up' | 'down' | 'level' {
  const sign = signOf(change)
  return sign > 0 ? 'up' : sign < 0 ? 'down' : 'level'
}

/** Shows USD that came or went, with its sign. */
export function SignedUsd({ value }: { value: string | null }) {
  if (value === null) return UNKNOWN
  return (
    <span class={toneOf(value)}>
      {signOf(value) > 0 && '+'}
      <Usd value={value} />
    </span>
  )
}

export function Price({ value, digits = 6 }: { value: string | null; digits?: number }) {
  if (value === null) return UNKNOWN
  return <span title={`$${value}`}>{withDollar(significantText(value, digits, 2))}</span>
}

export function Amount({ value, digits = 6 }: { value: string | null; digits?: number }) {
  return value === null ? UNKNOWN : <span title={value}>{significantText(value, digits)}</span>
}

/** Shows a change in percent, with its sign, because colour alone is not enough. */
export function Change({ percent }: { percent: string | null }) {
  if (percent === null) return UNKNOWN
  return (
    <span class={toneOf(percent)} title={`${percent} %`}>
      {signOf(percent) > 0 && '+'}
      {decimalText(percent, 2, 2)} %
    </span>
  )
}

function withDollar(text: string): string {
  return text.startsWith('−') ? `−$${text.slice(1)}` : `$${text}`
}

/** Shows a number of things. An unknown number is a dash, never zero. */
export function Count({ value }: { value: number | null }) {
  return value === null ? UNKNOWN : <span>{decimalText(String(value), 0)}</span>
}

/** One percent is 10^4 millionths. */
const PERCENT_DECIMALS = 4

/** Formats a pool's fee in percent. */
export function feeText(millionths: number): string {
  return `${decimalText(unitsText(String(millionths), PERCENT_DECIMALS), 4)} %`
}
