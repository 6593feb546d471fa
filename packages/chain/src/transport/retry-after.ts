import { SECOND } from '@dexfeed/dex'

/** A `Retry-After`: seconds or a date, as milliseconds from now; null when absent or unreadable. */
export function readRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  if (/^\d+$/.test(header.trim())) return Number(header) * SECOND
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}
