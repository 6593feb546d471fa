import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Turns } from './turns.ts'

const [PIECE_MS, SLICE_MS] = [3, 4]

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Returns turns, a function that requests pieces of work for a client, and their log with the turn of the event loop. */
function worked() {
  const turns = new Turns()
  const log: { client: string; loop: number }[] = []
  let loop = 0
  const ask = (client: string, pieces: number) =>
    Array.from({ length: pieces }, () =>
      turns.run(client, () => {
        log.push({ client, loop })
        vi.advanceTimersByTime(PIECE_MS)
      }),
    )
  const done = async (work: readonly Promise<void>[]) => {
    let isDone = false
    const all = Promise.all(work).then(() => {
      isDone = true
    })
    for (; !isDone; loop++) await turn()
    await all
  }
  return { turns, log, ask, done }
}

test('in each turn of the event loop there is a slice of work and at most one piece more', async () => {
  const { log, ask, done } = worked()
  await done(ask('a', 100))
  expect(log).toHaveLength(100)
  const piecesOf = (loop: number) => log.filter((piece) => piece.loop === loop).length
  for (const { loop } of log) expect((piecesOf(loop) - 1) * PIECE_MS).toBeLessThan(SLICE_MS)
})

test('a client waits for one piece of each other client, however many those have', async () => {
  const { log, ask, done } = worked()
  const greedy = [...ask('a', 500), ...ask('b', 500)]
  await turn()
  const before = log.length
  await done([...greedy, ...ask('c', 1)])
  expect(log.findIndex(({ client }) => client === 'c') - before).toBeLessThanOrEqual(3)
})

test('work need not wait for a turn during a slice in which nobody waits', async () => {
  const { turns, ask } = worked()
  expect(turns.isFree).toBe(false)
  await Promise.all(ask('a', 1))
  expect(turns.isFree).toBe(true)
  vi.advanceTimersByTime(SLICE_MS)
  expect(turns.isFree).toBe(false)
})
