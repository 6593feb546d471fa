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

/** Covers dropped blocks below these final ones, one step for each. `check` may throw or end. */
async function cover(
  found: BlockRange[],
  finals: number[],
  check: (range: BlockRange, end: () => void) => void = () => {},
) {
  const ended = new AbortController()
  const registry = registryOf([found])
  const seen = { checked: [] as BlockRange[], failures: [] as string[] }
  let steps = 0
  const dependencies = {
    registry,
    store: {
      networkRow: async () => ({ finalNumber: finals[steps] }) as never,
      coveredRanges: async () => [{ from: 1, to: 40, fromTime: 0, toTime: 0 }],
    },
    checker: {
      async *check({ from, to }: BlockRange) {
        seen.checked.push({ from, to })
        yield* []
        check({ from, to }, () => ended.abort())
      },
    },
    log: { ...quiet, warn: (fields: object) => seen.failures.push((fields as { err: Error }).err.message) },
    clock: {
      sleep: async () => {
        if (++steps === finals.length) ended.abort()
      },
    },
  }
  await coverDropped(dependencies, ended.signal)
  return { ...seen, left: registry.takeDropped() }
}

const blocks = (...numbers: number[]) => numbers.map((at) => ({ from: at, to: at }))

//   10 - .. - 15 - .. - 20      dropped; final up to 15, then up to 30
test('blocks without a pool that are not final yet are read again once they are', async () => {
  const { checked } = await cover([{ from: 10, to: 20 }], [15, 30])
  expect(checked).toEqual([
    { from: 10, to: 15 },
    { from: 16, to: 20 },
  ])
})

//   10, 20, 30      dropped; 10 cannot be read the first time, 20 never
test('blocks that cannot be read do not hold up others, and are tried again', async () => {
  let isFirst = true
  const { checked, failures } = await cover(blocks(10, 20, 30), [40, 40], ({ from }) => {
    if (from === 20 || (from === 10 && isFirst)) throw new Error(`pruned: ${from}`)
    isFirst = false
  })
  expect(checked).toEqual(blocks(10, 20, 30, 10, 20))
  expect(failures).toEqual(['pruned: 10', 'pruned: 20'])
})

test('what an end interrupts is read again after the next start', async () => {
  const { left } = await cover(blocks(10, 20), [40, 40], (_, end) => {
    end()
    throw new Error('the lease is lost')
  })
  expect(left).toEqual(blocks(10, 20))
})
