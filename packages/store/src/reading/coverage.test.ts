import { describe, expect, it } from 'vitest'
import { asIfCovered, type Coverage, coverageGaps, coversSince, coversStart } from './coverage.ts'

// Block n has the time 1000 + n; the head is 100.
function network(start: number, ...covered: [from: number, to: number][]): Coverage {
  return {
    start: { number: start, timestamp: 1000 + start },
    head: { number: 100, timestamp: 1100, hash: '0x' },
    covered: covered.map(([from, to]) => ({ from, to, fromTime: 1000 + from, toTime: 1000 + to })),
  }
}

describe('coverage', () => {
  it.each([
    ['reaches back further than required', network(10, [40, 100]), 1050, true],
    ['reaches back to the second before', network(10, [49, 100]), 1050, true],
    ['begins in that second, in which other blocks may lie', network(10, [50, 100]), 1050, false],
    ['ends before', network(10, [51, 100]), 1050, false],
    ['has a hole on the way', network(10, [10, 60], [62, 100]), 1050, false],
    ['has a hole further back', network(10, [10, 40], [42, 100]), 1050, true],
    ['does not hold the head', network(10, [10, 99]), 1050, false],
    ['begins at the start, later than required', network(60, [60, 100]), 1050, false],
    ['begins at the start, in that second', network(50, [50, 100]), 1050, false],
    ['begins with the chain, in that second', network(0, [0, 100]), 1000, true],
    ['begins with the chain, later than required', network(0, [0, 100]), 900, true],
    ['is empty', network(10), 1050, false],
  ])('of a time: %s', (_, coverage, since, expected) => {
    expect(coversSince(coverage, since)).toBe(expected)
  })

  it.each([
    ['reaches the start', network(60, [60, 100]), 1050, true],
    ['reaches the time', network(10, [49, 100]), 1050, true],
    ['reaches the start, in that second', network(50, [50, 100]), 1050, true],
    ['reaches neither', network(10, [50, 100]), 1050, false],
  ])('of the start: %s', (_, coverage, since, expected) => {
    expect(coversStart(coverage, since)).toBe(expected)
  })

  it('fails without a head', () => {
    const coverage = { ...network(0, [0, 100]), head: null }
    expect(coversSince(coverage, 1050)).toBe(false)
    expect(coversStart(coverage, 1050)).toBe(false)
    expect(coverageGaps(coverage)).toEqual([])
  })

  const textOf = (ranges: readonly { from: number; to: number }[]) =>
    ranges.map(({ from, to }) => `${from}-${to}`).join(' ')

  it.each([
    ['none', network(10, [10, 100]), ''],
    ['none if more is covered than required', network(10, [5, 120]), ''],
    ['all of it', network(10), '10-100'],
    ['before, between and after', network(10, [20, 30], [40, 50]), '10-19 31-39 51-100'],
    ['only up to the head', network(10, [10, 90], [110, 120]), '91-100'],
    ['only from the start', network(50, [10, 20], [60, 100]), '50-59'],
  ])('gaps: %s', (_, coverage, gaps) => {
    expect(textOf(coverageGaps(coverage))).toBe(gaps)
  })

  it.each([
    ['between', network(10, [10, 40], [42, 100]), [41], '10-100'],
    ['several between', network(10, [10, 40], [43, 60], [62, 100]), [41, 42, 61], '10-100'],
    ['some of them only', network(10, [10, 40], [43, 60], [62, 100]), [42, 61], '10-40 43-100'],
    ['at the head and at the start', network(10, [12, 98]), [10, 11, 99, 100], '10-100'],
    ['not all up to the head', network(10, [10, 97]), [98, 100], '10-97'],
    ['none', network(10, [10, 40], [42, 100]), [], '10-40 42-100'],
  ])('without waiting for blocks: %s', (_, coverage, blocks, expected) => {
    expect(textOf(asIfCovered(coverage, blocks).covered)).toBe(expected)
    expect(coverageGaps(coverage).length).toBeGreaterThan(0)
  })

  it('reaches no further back in time without such a block than with it', () => {
    const coverage = network(10, [51, 60], [62, 100])
    expect(coversSince(asIfCovered(coverage, [61]), 1052)).toBe(true)
    expect(coversSince(asIfCovered(coverage, [61]), 1051)).toBe(false)
  })
})
