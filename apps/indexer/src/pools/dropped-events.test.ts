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
  expect(dropped.hulls()).toEqual([
    { emitter: EMITTER, from: 90, to: 1_200 },
    { emitter: OTHER, from: 5, to: 6 },
  ])
  expect(take()).toEqual([
    { from: 90, to: 130 },
    { from: 1_000, to: 1_200 },
  ])
  expect(take()).toEqual([])
  expect(dropped.all()).toEqual([{ emitter: OTHER, from: 5, to: 6 }])
  for (let i = 0; i <= 64; i++) note(10_000 - 100 * i)
  expect(take()).toEqual([{ from: 3_600, to: 10_000 }])
})

test('blocks of several emitters are taken once, with postponed ones', () => {
  const dropped = new DroppedEvents()
  dropped.note({ emitter: EMITTER, from: 10, to: 20 })
  dropped.note({ emitter: OTHER, from: 15, to: 30 })
  dropped.postpone([
    { from: 5, to: 10 },
    { from: 31, to: 31 },
  ])
  expect(dropped.take(() => true)).toEqual([
    { from: 5, to: 30 },
    { from: 31, to: 31 },
  ])
  expect(dropped.take(() => true)).toEqual([])
})
