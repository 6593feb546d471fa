import type { Address } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { DroppedEvents } from './dropped-events.ts'

const [EMITTER, OTHER] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as Address[] as [Address, Address]

test('nearby blocks form one range, and so do too many ranges', () => {
  const dropped = new DroppedEvents()
  const note = (from: number, to = from, emitter = EMITTER) => dropped.note({ emitter, from, to })
  const take = () => dropped.take((emitter) => emitter === EMITTER)
  for (const block of [100, 130, 90, 1_000]) note(block)
  note(1_040, 1_200)
  note(5, 6, OTHER)
  expect(dropped.emitters()).toEqual([EMITTER, OTHER])
  expect(take()).toEqual([
    { from: 90, to: 130 },
    { from: 1_000, to: 1_200 },
  ])
  expect(take()).toEqual([])
  expect(dropped.emitters()).toEqual([OTHER])
  for (let i = 0; i <= 64; i++) note(10_000 - 100 * i)
  expect(take()).toEqual([{ from: 3_600, to: 10_000 }])
})
