import { type Address, present } from '@dexfeed/dex'
import { type CandleSelection, type LakeReads, openReader, type Past } from '@dexfeed/store'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openLakeReads } from '../src/reading/lake-reads.ts'
import {
  ANCHOR,
  dropBefore,
  NETWORK,
  ONE,
  openWorld,
  POOLS,
  startOf,
  TWO,
  tradesOfDays,
  UNKNOWN,
  type World,
  writeWorld,
} from './lake-world.ts'

/** Days 1 to 4 are complete. Day 3 is a Monday. */
const DAYS = 4
const SPAN = { from: startOf(0), to: startOf(DAYS + 2) }
const TOKENS: Address[] = [ONE, TWO, ANCHOR, UNKNOWN]
const INTERVALS = [60, 3_600, 86_400, 604_800]

let world: World
let lake: LakeReads

beforeAll(async () => {
  world = await openWorld()
  const reads = openLakeReads(world.objects, { folder: world.lake }, temporaryFolder())
  closeAfter(() => reads.close())
  lake = reads
})

const reader = () => openReader(world.database, { lake })

const SELECTIONS: Omit<CandleSelection, 'network' | 'interval'>[] = TOKENS.flatMap((token) => [
  { token, within: null, ...SPAN },
  { token, within: null, ...SPAN, from: startOf(2) },
  ...POOLS.filter((pool) => (pool.coins ?? [pool.token0, pool.token1]).includes(token)).map(({ address: pool }) => ({
    token,
    within: { pool },
    ...SPAN,
  })),
  ...TOKENS.filter((other) => other !== token).map((other) => ({ token, within: { other }, ...SPAN })),
  ...TOKENS.filter((other) => other < token).map((quote) => ({ token, within: { other: quote }, quote, ...SPAN })),
  ...(token === ONE ? [{ token, within: { pool: present(POOLS[3]).address }, quote: ANCHOR, ...SPAN }] : []),
])

async function candles(intervals: readonly number[], past: Past | null): Promise<unknown[]> {
  const found: unknown[] = []
  for (const interval of intervals) {
    for (const omit of SELECTIONS) {
      const selection = { ...omit, network: NETWORK, interval }
      found.push([selection, await reader().candles(selection, past)])
    }
  }
  for (const omit of SELECTIONS.slice(1, 4)) {
    for (const day of [2, 3, 4.5]) {
      const before = { ...omit, network: NETWORK, interval: 3_600, from: startOf(day) }
      found.push([before, await reader().closeBefore(before, startOf(1), past)])
    }
  }
  return found
}

async function volumes(past: Past | null): Promise<unknown[]> {
  const found: unknown[] = []
  const all = [null, { protocol: 'uniswap-v2' }, ...TOKENS.map((token) => ({ token }))]
  for (const of of [...all, ...POOLS.map(({ address: pool }) => ({ pool }))]) {
    for (const interval of [3_600, 86_400]) {
      const selection = { network: NETWORK, of, interval, ...SPAN }
      found.push([selection, await reader().volumeSeries(selection, past)])
    }
  }
  return found
}

describe('candles and volumes of days that were dropped, with the lake', () => {
  it('are those of before, in any interval', async () => {
    await fc.assert(
      fc.asyncProperty(tradesOfDays(DAYS, 150, 300), fc.constantFrom(2, 3, 4), async (trades, kept) => {
        await writeWorld(world, trades, DAYS)
        expect(await reader().past(NETWORK)).toBe(null)
        const stored = [await candles(INTERVALS, null), await volumes(null)]
        await dropBefore(world, kept)
        const past = await reader().past(NETWORK)
        expect(past).toMatchObject({ since: startOf(1), keptSince: startOf(kept) })
        expect([await candles(INTERVALS, past), await volumes(past)]).toEqual(stored)
      }),
      { numRuns: 2 * inject('scale'), endOnFailure: true },
    )
  }, 300_000)
})
