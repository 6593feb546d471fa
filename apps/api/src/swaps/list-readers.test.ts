import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Quotas } from '../http/limits/quotas.ts'
import { type ListReader, ListReaders } from './list-readers.ts'

const MIN = 1_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const open = () => new ListReaders(new Quotas({ total: 4, perClient: 3 }), MIN)

function begun(readers: ListReaders, client: string): ListReader {
  const reader = readers.take(client)
  reader.begin()
  return reader
}

/** Seconds in which each reader takes these bytes, in turn. */
function pass(seconds: number, ...takes: [ListReader, number][]): void {
  for (let second = 0; second < seconds; second++) {
    vi.advanceTimersByTime(1_000)
    for (const [reader, bytes] of takes) reader.took(bytes)
  }
}

const gave = (...readers: ListReader[]) => readers.map(({ displaced }) => displaced.aborted)

test('when all places are taken, each new client replaces the slowest reader', () => {
  const readers = open()
  const [slow, slowest, fast, other] = ['a', 'b', 'c', 'd'].map((client) => begun(readers, client)) as [
    ListReader,
    ListReader,
    ListReader,
    ListReader,
  ]
  pass(6, [slow, 20], [slowest, 10], [fast, 2 * MIN], [other, 2 * MIN])
  readers.take('e')
  expect(gave(slow, slowest, fast, other)).toEqual([false, true, false, false])
  readers.take('e')
  expect(gave(slow, slowest, fast, other)).toEqual([true, true, false, false])
  expect(() => readers.take('e')).toThrow('too many lists are being sent')
  expect(slow.displaced.reason).toMatchObject({ name: 'SlowReader', status: 408 })
})

test('a client at its own maximum loses its own slowest reader', () => {
  const readers = open()
  const other = begun(readers, 'b')
  const own = [begun(readers, 'a'), begun(readers, 'a'), begun(readers, 'a')] as const
  pass(6, [own[0], 2], [own[1], 1], [own[2], 2])
  readers.take('a')
  expect(gave(other, ...own)).toEqual([false, false, true, false])
})

test('a reader is measured some time after its list began, by what it took lately', () => {
  const readers = open()
  const waiting = readers.take('a')
  const [early, later, slow] = ['a', 'b', 'b'].map((client) => begun(readers, client)) as [
    ListReader,
    ListReader,
    ListReader,
  ]
  for (const reader of [early, later, slow]) reader.took(1e9)
  pass(4)
  expect(() => readers.take('c')).toThrow('too many lists are being sent')
  // The bytes that the system buffered at first count in the first window only.
  pass(7, [early, 2 * MIN], [later, 2 * MIN])
  readers.take('c')
  expect(gave(waiting, early, later, slow)).toEqual([false, false, false, true])
  // A reader that stops counts as slow from the second window on.
  pass(8, [later, 2 * MIN])
  readers.take('c')
  expect(gave(waiting, early, later)).toEqual([false, true, false])
})

test('a place that was taken away is not freed twice', () => {
  const readers = open()
  const all = ['a', 'b', 'c', 'd'].map((client) => begun(readers, client))
  pass(6)
  readers.take('e')
  for (const reader of all) if (reader.displaced.aborted) reader.leave()
  pass(6)
  const kept = all.filter(({ displaced }) => !displaced.aborted)
  expect(kept).toHaveLength(3)
  for (const reader of kept) reader.leave()
  for (let n = 0; n < 3; n++) readers.take(`f${n}`)
  expect(() => readers.take('g')).toThrow('too many lists are being sent')
})
