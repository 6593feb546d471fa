import type { Log } from '@dexfeed/dex'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holdsAll } from './receipt-witness.ts'

const hex = fc.constantFrom<'0xaa' | '0xbb'>('0xaa', '0xbb')
const log: fc.Arbitrary<Log> = fc.record({
  address: hex,
  topics: fc.array(hex, { maxLength: 2 }),
  data: hex,
  transactionIndex: fc.nat(1),
  logIndex: fc.nat(4),
})
const ofPlaces = (logs: readonly Log[]) =>
  logs.map(({ address, topics, data, logIndex }) => JSON.stringify({ address, topics, data, logIndex }))

test('logs are among others by all that they say but their transaction, however these are numbered', () => {
  let held = 0
  fc.assert(
    fc.property(fc.array(log), fc.array(log, { maxLength: 2 }), fc.boolean(), (logs, others, isPart) => {
      const wanted = isPart ? [...logs.filter((_, i) => i % 2 === 0), ...others] : others
      const all = new Set(ofPlaces(logs))
      const expected = ofPlaces(wanted).every((place) => all.has(place))
      if (expected && wanted.length > 0) held++
      expect(holdsAll(logs, wanted)).toBe(expected)
    }),
    { numRuns: 2000 },
  )
  expect(held).toBeGreaterThan(100)
})

test('logs that are numbered one after the other differ by each of their fields', () => {
  const logs = [5, 6, 7].map((logIndex): Log => {
    return { address: '0xaa', topics: ['0xaa', '0xbb'], data: '0xaa', transactionIndex: 1, logIndex }
  })
  const [, second] = logs
  if (second === undefined) throw new Error('there are three')
  expect(holdsAll(logs, [{ ...second, transactionIndex: 9 }])).toBe(true)
  for (const other of [
    { address: '0xbb' },
    { topics: ['0xaa'] },
    { topics: ['0xaa', '0xaa'] },
    { data: '0xbb' },
  ] as const)
    expect(holdsAll(logs, [{ ...second, ...other }])).toBe(false)
  expect(holdsAll(logs, [{ ...second, logIndex: 8 }])).toBe(false)
})
