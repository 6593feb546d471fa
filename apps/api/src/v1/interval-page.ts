import { DAY_S } from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'
import { indexedBlocks } from '../service/freshness.ts'

/** Days that a page covers at most: so many minutes are read for it. */
const MOST_DAYS = 90

/** Which intervals a list has, all in seconds. */
export interface IntervalList {
  interval: number
  /** Intervals that begin at this moment or later, and before that one. */
  from: number
  to: number
}

/** Which of them a page reads. */
export interface IntervalPage {
  /** Begin of the first, and of the one behind the last; equal: none. */
  from: number
  to: number
  /** Where the next page in the same order begins; null: there is none. */
  reached: number | null
}

/** The next `limit` intervals of a list in an order from a place (null: its end), whatever happened in them. */
export function intervalPage(
  { interval, from, to }: IntervalList,
  scan: { order: 'asc' | 'desc'; from: number | null; limit: number },
): IntervalPage {
  const up = (time: number) => Math.ceil(time / interval) * interval
  const first = up(from)
  const end = Math.max(first, up(to))
  const length = Math.min(scan.limit, Math.floor((MOST_DAYS * DAY_S) / interval)) * interval
  const within = (time: number) => Math.min(end, Math.max(first, up(time)))
  if (scan.order === 'asc') {
    const begin = within(scan.from ?? first)
    const stop = within(begin + length)
    return { from: begin, to: stop, reached: stop < end ? stop : null }
  }
  const stop = within(scan.from ?? end)
  const begin = within(stop - length)
  return { from: begin, to: stop, reached: begin > first ? begin : null }
}

/** A page of rows (ascending) in the order that was asked for. */
export function intervalAnswer<Row>(
  rows: Row[],
  { reached }: IntervalPage,
  order: 'asc' | 'desc',
  indexed: readonly IndexedNetwork[],
): { rows: Row[]; reached: number | null; headers: Record<string, string> } {
  return {
    rows: order === 'asc' ? rows : rows.reverse(),
    reached,
    headers: { 'X-Indexed-Block': indexedBlocks(indexed) },
  }
}
