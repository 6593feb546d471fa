import type { Address } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { PassedOver } from './passed-over.ts'

const EMITTER: Address = `0x${'e1'.repeat(20)}`

test('blocks near each other are one range, and too many ranges one as well', () => {
  const passed = new PassedOver()
  for (const block of [100, 130, 90, 1_000]) passed.note(EMITTER, block)
  expect(passed.take(EMITTER)).toEqual([
    { from: 90, to: 130 },
    { from: 1_000, to: 1_000 },
  ])
  expect(passed.take(EMITTER)).toEqual([])
  for (let i = 0; i <= 64; i++) passed.note(EMITTER, 10_000 - 100 * i)
  expect(passed.take(EMITTER)).toEqual([{ from: 3_600, to: 10_000 }])
})
