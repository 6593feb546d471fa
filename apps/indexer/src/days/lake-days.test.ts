import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quiet } from '../../test/scene/made-values.ts'
import { firstDayToKeep, type LakeState, reportLake, reportLost } from './lake-days.ts'

//  days   .. 91 92 93 .. 98 99 | 100 ..     RETENTION_DAYS keeps those from 100 on
describe('the first day to keep', () => {
  it.each<[string, number | null, boolean, number]>([
    ['is the wanted one if the lake lacks none', null, false, 100],
    ['is the wanted one if the lake lacks only later ones', 103, false, 100],
    ['is the first one that the lake lacks', 98, false, 98],
    ['is that one for 7 days', 93, false, 93],
    ['is the one 7 days before the wanted one after that', 91, false, 93],
    ['is the one after it if the disk is nearly full', 98, true, 99],
    ['is the wanted one at last if the disk is nearly full', 99, true, 100],
    ['does not depend on the disk if the lake lacks none', null, true, 100],
    ['does not depend on the disk if the lake lacks only later ones', 100, true, 100],
  ])('%s', (_, unwritten, isDiskLow, expected) => {
    expect(firstDayToKeep(100, unwritten, isDiskLow)).toBe(expected)
  })

  it('is never after the wanted one, nor more than 7 days before it', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.option(fc.nat(200)), fc.boolean(), (wanted, unwritten, isDiskLow) => {
        const first = firstDayToKeep(wanted, unwritten, isDiskLow)
        expect(first).toBeLessThanOrEqual(wanted)
        expect(first).toBeGreaterThanOrEqual(wanted - 7)
      }),
    )
  })
})

it('days that were dropped without being in the lake are logged and counted', () => {
  const errors: object[] = []
  const lost: number[] = []
  const reports = {
    log: { ...quiet, error: (values: object) => void errors.push(values) },
    onLost: (days: number) => void lost.push(days),
  }
  reportLost(reports, 20_000, 20_002)
  expect([errors, lost]).toEqual([[{ first: '2024-10-04', days: 2 }], [2]])
})

it('reports how long a day has been due, until it is written', async () => {
  const ended = new AbortController()
  const reads = [
    { written: 3, due: [] },
    { written: 3, due: [7, 8] },
    { written: 3, due: [7, 8] },
    { written: 5, due: [] },
  ]
  const store = {
    async lakeDays() {
      const read = reads.shift()
      if (reads.length === 0) ended.abort()
      if (read === undefined) throw new Error('it has ended')
      return read
    },
  }
  const states: LakeState[] = []
  const lake = { isDiskLow: async () => false }
  const clock = { sleep: async () => void (await new Promise((resolve) => setImmediate(resolve))) }
  await reportLake({ store, lake, log: quiet, clock, onLake: (state) => void states.push(state) }, ended.signal)
  expect(states.map(({ written, due }) => [written, due])).toEqual([
    [3, 0],
    [3, 2],
    [3, 2],
    [5, 0],
  ])
  expect(states.map(({ waitedS }) => waitedS > 0)).toEqual([false, false, true, false])
})

it('reports nothing without a lake', async () => {
  const store = { lakeDays: () => Promise.reject(new Error('it was read')) }
  await reportLake({ store, lake: null, log: quiet, onLake: () => undefined }, AbortSignal.timeout(1_000))
})
