import { describe, expect, it } from 'vitest'
import { intervalPage } from './interval-page.ts'

const HOUR = 3_600
const list = { interval: HOUR, from: 10 * HOUR - 1, to: 15 * HOUR + 1 }
const page = (order: 'asc' | 'desc', from: number | null, limit = 4) => {
  const { reached, ...span } = intervalPage(list, { order, from, limit })
  return [span.from / HOUR, span.to / HOUR, reached === null ? null : reached / HOUR]
}

describe('a page of intervals', () => {
  it('pages through the intervals that begin within the list, in both orders', () => {
    expect(page('asc', null)).toEqual([10, 14, 14])
    expect(page('asc', 14 * HOUR)).toEqual([14, 16, null])
    expect(page('desc', null)).toEqual([12, 16, 12])
    expect(page('desc', 12 * HOUR)).toEqual([10, 12, null])
  })

  it('has no next page if the list ends with it', () => {
    expect(page('asc', null, 6)).toEqual([10, 16, null])
    expect(page('desc', null, 6)).toEqual([10, 16, null])
  })

  it('stays within the list for a made-up cursor', () => {
    expect(page('asc', 0)).toEqual([10, 14, 14])
    expect(page('asc', 999 * HOUR)).toEqual([16, 16, null])
    expect(page('desc', 0)).toEqual([10, 10, null])
    expect(page('asc', 11 * HOUR + 7, 1)).toEqual([12, 13, 13])
  })

  it('covers up to 90 days, and nothing of an empty list', () => {
    const days = intervalPage({ interval: 86_400, from: 0, to: 1e9 }, { order: 'asc', from: null, limit: 1_000 })
    expect(days).toEqual({ from: 0, to: 90 * 86_400, reached: 90 * 86_400 })
    const none = intervalPage({ interval: HOUR, from: HOUR, to: 0 }, { order: 'desc', from: null, limit: 5 })
    expect(none).toEqual({ from: HOUR, to: HOUR, reached: null })
  })
})
