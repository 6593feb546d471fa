import { type Address, type BlockRange, MINUTE } from '@dexfeed/dex'
import type { UnconfirmedDenial } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { addressesOf, quiet } from '../../test/scene/made-values.ts'
import { confirmDenials } from './cover-dropped.ts'

const [POOL, OTHER] = addressesOf('e1', 'e2')
const DENIAL: UnconfirmedDenial = { emitter: POOL, from: 10, to: 20 }

interface Scene {
  stored?: UnconfirmedDenial[]
  /** The result when the block is read again. */
  found?: 'pool' | 'none' | 'unconfirmed'
  /** The emitters that prove to be pools then. */
  pool?: readonly Address[]
  confirmed?: boolean
  /** A block that cannot be read. */
  pruned?: number
  steps?: number
}

async function settle({
  stored = [DENIAL],
  found = 'none',
  pool = [POOL],
  confirmed = false,
  pruned,
  steps = 2,
}: Scene) {
  const ended = new AbortController()
  const pools = new Map<Address, unknown>()
  const asked: number[] = []
  const checked: BlockRange[] = []
  const settled: UnconfirmedDenial[] = []
  const rests: number[] = []
  await confirmDenials(
    {
      chain: {
        readRange: async (from) => {
          asked.push(from)
          if (from === pruned) throw new Error('pruned')
          return { from, to: from, blocks: [] }
        },
      },
      processor: {
        verifyEmitters: async () => {
          if (found === 'pool') for (const text of pool) pools.set(text, {})
          confirmed ||= found === 'none'
        },
      },
      registry: { known: { pools } as never, isConfirmedDenial: () => confirmed },
      store: {
        networkRow: async () => ({ finalNumber: 30 }) as never,
        coveredRanges: async () => [{ from: 1, to: 40, fromTime: 0, toTime: 0 }],
        unconfirmedDenials: async (final) =>
          stored.filter((unconfirmedDenial) => unconfirmedDenial.to <= final && !settled.includes(unconfirmedDenial)),
        settleDenials: async (denials) => void settled.push(...denials),
      },
      checker: {
        async *check({ from, to }) {
          checked.push({ from, to })
          yield* []
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
  return { asked, checked, settled, rests }
}

test('no request is made within a minute after a denial', async () => {
  expect(await settle({ steps: 1 })).toEqual({ asked: [], checked: [], settled: [], rests: [MINUTE] })
})

test('an emitter that was denied once is checked at its first block, and settled if it is denied again', async () => {
  expect(await settle({})).toMatchObject({ asked: [10], checked: [], settled: [DENIAL] })
})

test('all blocks of an emitter that proves to be a pool are read again', async () => {
  expect(await settle({ found: 'pool' })).toMatchObject({
    asked: [10],
    checked: [{ from: 10, to: 20 }],
    settled: [DENIAL],
  })
})

test('a second response too soon settles nothing, and the emitter is checked again', async () => {
  expect(await settle({ found: 'unconfirmed', steps: 3 })).toMatchObject({ asked: [10, 10], settled: [] })
})

test('an emitter confirmed meanwhile is settled without a read', async () => {
  expect(await settle({ confirmed: true })).toMatchObject({ asked: [], checked: [], settled: [DENIAL] })
})

test('a block that cannot be read does not hold up other emitters, and is tried again', async () => {
  const other = { emitter: OTHER, from: 15, to: 15 }
  const { asked, settled } = await settle({ stored: [other, DENIAL], pruned: 15, found: 'pool', steps: 3 })
  expect(asked).toEqual([15, 10, 15])
  expect(settled).toEqual([DENIAL])
})

const clone = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}`

test('thousands of clones in one block cost one read', async () => {
  const stored = Array.from({ length: 3_000 }, (_, number) => ({ emitter: clone(number), from: 10, to: 10 }))
  const { asked, settled } = await settle({ stored })
  expect(asked).toEqual([10])
  expect(settled).toHaveLength(3_000)
})

test('a round reads few blocks, the next one continues after them, and unsettled emitters do not hold up others', async () => {
  const stored = Array.from({ length: 70 }, (_, number) => ({ emitter: clone(number), from: number, to: number }))
  const { asked } = await settle({ stored: stored.filter(({ to }) => to <= 30), found: 'unconfirmed' })
  expect(asked).toHaveLength(31)
  const deep = stored.map((each) => ({ ...each, to: 30 }))
  const { asked: rounds } = await settle({ stored: deep, found: 'unconfirmed', steps: 4 })
  expect(rounds.slice(0, 70)).toEqual(Array.from({ length: 70 }, (_, number) => number))
  expect(rounds).toHaveLength(96)
  expect(rounds.slice(70, 72)).toEqual([0, 1])
})

test('blocks of several pools that overlap are read again once', async () => {
  const stored = [DENIAL, { emitter: OTHER, from: 10, to: 25 }, { emitter: clone(1), from: 26, to: 30 }]
  const { asked, checked, settled } = await settle({ stored, found: 'pool', pool: [POOL, OTHER, clone(1)] })
  expect(asked).toEqual([10])
  expect(checked).toEqual([
    { from: 10, to: 25 },
    { from: 26, to: 30 },
  ])
  expect(settled).toEqual(stored)
})
