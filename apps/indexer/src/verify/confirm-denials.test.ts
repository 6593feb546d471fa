import { type Address, type BlockRange, MINUTE } from '@dexfeed/dex'
import type { UnconfirmedDenial } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { confirmDenials } from './confirm-denials.ts'

const POOL: Address = `0x${'e1'.repeat(20)}`
const OTHER: Address = `0x${'e2'.repeat(20)}`
const DENIAL: UnconfirmedDenial = { emitter: POOL, from: 10, to: 20 }
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

interface Scene {
  stored?: UnconfirmedDenial[]
  /** Whether the pool proves to be one when its block is read again. */
  isPool?: boolean
  confirmed?: boolean
  /** A block that cannot be read. */
  pruned?: number
  steps?: number
}

async function settle({ stored = [DENIAL], isPool = false, confirmed = false, pruned, steps = 2 }: Scene) {
  const ended = new AbortController()
  const pools = new Map<Address, unknown>()
  const checked: BlockRange[] = []
  const settled: UnconfirmedDenial[] = []
  const rests: number[] = []
  await confirmDenials(
    {
      registry: { known: { pools } as never, isConfirmedDenial: () => confirmed },
      store: {
        networkRow: async () => ({ finalNumber: 30 }) as never,
        coveredRanges: async () => [{ from: 1, to: 40, fromTime: 0, toTime: 0 }],
        unconfirmedDenials: async (final) => stored.filter((one) => one.to <= final && !settled.includes(one)),
        settleDenial: async (denial) => void settled.push(denial),
      },
      checker: {
        async *check({ from, to }) {
          checked.push({ from, to })
          yield* []
          if (from === pruned) throw new Error('pruned')
          if (isPool) pools.set(POOL, {})
        },
      },
      log: quiet,
      clock: {
        sleep: async (ms) => {
          rests.push(ms)
          if (rests.length === steps) ended.abort()
        },
      },
    },
    ended.signal,
  )
  return { checked, settled, rests }
}

test('nothing is asked within a minute after a denial', async () => {
  expect(await settle({ steps: 1 })).toEqual({ checked: [], settled: [], rests: [MINUTE] })
})

test('the first block of an emitter that was denied once is read again, and settles it where it is denied again', async () => {
  expect(await settle({})).toMatchObject({ checked: [{ from: 10, to: 10 }], settled: [DENIAL] })
})

test('all blocks of one that proves to be a pool are read again', async () => {
  const checked = [
    { from: 10, to: 10 },
    { from: 10, to: 20 },
  ]
  expect(await settle({ isPool: true })).toMatchObject({ checked, settled: [DENIAL] })
})

test('what was confirmed meanwhile is settled without reading anything', async () => {
  expect(await settle({ confirmed: true })).toMatchObject({ checked: [], settled: [DENIAL] })
})

test('a block that cannot be read again keeps no other emitter from being settled, and is tried again', async () => {
  const other = { emitter: OTHER, from: 15, to: 15 }
  const { checked, settled } = await settle({ stored: [DENIAL, other], pruned: 10, steps: 3 })
  expect(checked.map(({ from }) => from)).toEqual([10, 15, 10])
  expect(settled).toEqual([other])
})
