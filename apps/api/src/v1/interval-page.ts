import { DAY_S, intervalStart } from '@dexfeed/dex'
import type { IndexedNetwork, Past } from '@dexfeed/store'
import { indexedBlocks } from '../service/freshness.ts'

/** Days per page, all of whose minutes are read. */
const MAX_DAYS = 90

export interface IntervalList {
  interval: number
  from: number
  to: number
}

export interface IntervalPage {
  from: number
  to: number
  reached: number | null
}

/** Returns the next `limit` intervals of a list, starting at `from`; null starts with the first one in the order. */
export function intervalPage(
  { interval, from, to }: IntervalList,
  scan: { order: 'asc' | 'desc'; from: number | null; limit: number },
): IntervalPage {
  const up = (time: number) => intervalStart(time + interval - 1, interval)
  const first = up(from)
  const end = Math.max(first, up(to))
  const length = Math.min(scan.limit, Math.floor((MAX_DAYS * DAY_S) / interval)) * interval
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

type IntervalScan = Parameters<typeof intervalPage>[1]

interface IntervalRequest {
  from?: number | undefined
  to?: number | undefined
}

interface IntervalReading {
  indexed: IndexedNetwork
  interval: number
  /** Where the intervals of the network begin. */
  since: number
  now: number
  /** Days that are read from the lake. */
  past?: Past | null
}

/** Returns a page of intervals up to now, read by `read`. */
export async function readIntervals<Row>(
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: IntervalRequest,
  scan: IntervalScan,
  { indexed, interval, since, now, past = null }: IntervalReading,
  read: (span: { from: number; to: number }) => Promise<Row[]>,
): Promise<{ rows: Row[]; reached: number | null; headers: Record<string, string>; span: IntervalPage }> {
  // An interval that began before the first kept row contains only the rows since then.
  const begin = Math.max(from, intervalStart(since, interval))
  const page = intervalPage({ interval, from: begin, to: Math.min(to, now + 1) }, scan)
  const rows = await read({ from: page.from, to: page.to })
  const lakeDays = past?.daysRead() ?? null
  return {
    rows: scan.order === 'asc' ? rows : rows.reverse(),
    reached: page.reached,
    headers: { 'X-Indexed-Block': indexedBlocks([indexed]), ...(lakeDays !== null && { 'X-Lake-Days': lakeDays }) },
    span: page,
  }
}
