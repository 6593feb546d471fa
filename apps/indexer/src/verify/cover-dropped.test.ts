import type { BlockRange } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { quiet } from '../../test/scene/made-values.ts'
import { coverDropped } from './cover-dropped.ts'

/** Returns these ranges first, then what was postponed. */
function registryOf(found: BlockRange[][]) {
  let postponed: BlockRange[] = []
  return {
    takeDropped() {
      const taken = [...postponed, ...(found.shift() ?? [])]
      postponed = []
      return taken
    },
    postponeDropped: (ranges: readonly BlockRange[]) => void postponed.push(...ranges),
  }
}

//   10 - .. - 15 - .. - 20      dropped; final up to 15, then up to 30
test('blocks without a pool that are not final yet are read again once they are', async () => {
  const ended = new AbortController()
  const checked: BlockRange[] = []
  const found = [[{ from: 10, to: 20 }]]
  const finals = [15, 30]
  let steps = 0
  await coverDropped(
    {
      registry: registryOf(found),
      store: {
        networkRow: async () => ({ finalNumber: finals.shift() }) as never,
        coveredRanges: async () => [{ from: 1, to: 40, fromTime: 0, toTime: 0 }],
      },
      checker: {
        async *check(range) {
          checked.push(range)
          yield* []
        },
      },
      log: quiet,
      clock: {
        sleep: async () => {
          if (++steps === 2) ended.abort()
        },
      },
    },
    ended.signal,
  )
  expect(checked.map(({ from, to }) => [from, to])).toEqual([
    [10, 15],
    [16, 20],
  ])
})

//   10, 20, 30      dropped; 10 cannot be read the first time, 20 never
test('blocks that cannot be read do not hold up others, and are tried again', async () => {
  const ended = new AbortController()
  const checked: number[] = []
  const failures: unknown[] = []
  const found = [[10, 20, 30].map((at) => ({ from: at, to: at }))]
  let steps = 0
  await coverDropped(
    {
      registry: registryOf(found),
      store: {
        networkRow: async () => ({ finalNumber: 40 }) as never,
        coveredRanges: async () => [{ from: 1, to: 40, fromTime: 0, toTime: 0 }],
      },
      checker: {
        async *check({ from }) {
          checked.push(from)
          yield* []
          if (from === 20 || (from === 10 && steps === 0)) throw new Error(`pruned: ${from}`)
        },
      },
      log: { ...quiet, warn: (fields) => failures.push((fields as { err: Error }).err.message) },
      clock: {
        sleep: async () => {
          if (++steps === 2) ended.abort()
        },
      },
    },
    ended.signal,
  )
  expect(checked).toEqual([10, 20, 30, 10, 20])
  expect(failures).toEqual(['pruned: 10', 'pruned: 20'])
})

test('what an end interrupts is read again after the next start', async () => {
  const ended = new AbortController()
  const found = [[10, 20].map((at) => ({ from: at, to: at }))]
  const registry = registryOf(found)
  await coverDropped(
    {
      registry,
      store: {
        networkRow: async () => ({ finalNumber: 40 }) as never,
        coveredRanges: async () => [{ from: 1, to: 40, fromTime: 0, toTime: 0 }],
      },
      checker: {
        async *check() {
          yield* []
          ended.abort()
          throw new Error('the lease is lost')
        },
      },
      log: quiet,
      clock: { sleep: async () => undefined },
    },
    ended.signal,
  )
  expect(registry.takeDropped()).toEqual([
    { from: 10, to: 10 },
    { from: 20, to: 20 },
  ])
})
