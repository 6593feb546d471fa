import type { TradersRequest } from '@dexfeed/store'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { beforeEach, describe, expect, it } from 'vitest'
import { inTurn, TraderCounts } from './trader-counts.ts'

let requested: (readonly { pool?: string; token: string; hops: readonly number[] }[])[] = []
let failure: Error | null = null
/** Until it resolves, counts go on. */
let counted: Promise<void> = Promise.resolve()

const reader = {
  async tradersOfAges(_: string, requests: readonly TradersRequest[]) {
    requested.push(requests)
    if (failure !== null) throw failure
    await counted
    return requests.map(({ hops }) => hops.map((traders) => ({ buyers: 0, sellers: 0, traders })))
  },
}
const reading = (patienceMs = 60_000) => new TraderCounts(reader, 'bsc', { to: 600, head: 5, patienceMs })
const figures = (swaps: number) => ({ swaps, ages: `[[1,${swaps},0,"0.00000000",0,0,"0.00000000","0.00000000"]]` })
const row = (n: number, swaps = n) => ({ counted: { token: hexNumber(n) }, figures: figures(swaps) })
const traders = (counts: Awaited<ReturnType<TraderCounts['of']>>) => counts.map((ages) => ages[3]?.traders)

beforeEach(() => {
  requested = []
  failure = null
  counted = Promise.resolve()
})

describe('traders', () => {
  it('of a row are counted once in a reading, those of tokens and pools apart', async () => {
    const counts = reading()
    const pool = { counted: { pool: hexNumber(9), token: hexNumber(1) }, figures: figures(9) }
    expect(traders(await counts.of([row(1), row(2), pool]))).toEqual([1, 2, 9])
    expect(requested.map((requests) => requests.length)).toEqual([1, 2])
    expect(requested[1]?.[0]?.hops).toEqual([0, 1, 1, 1])
    expect(traders(await counts.of([pool, row(3), row(2)]))).toEqual([9, 3, 2])
    expect(requested.slice(2)).toEqual([[{ token: hexNumber(3), hops: [0, 3, 3, 3] }]])
  })

  it('are counted for one request at a time, also after a failure', async () => {
    const seen: string[] = []
    const count = inTurn(async (network) => {
      seen.push(`${network} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${network} ends`)
      if (network === 'bsc') throw new Error('the database is away')
      return []
    })
    const until = { to: 600, head: 5 }
    const both = await Promise.allSettled([count('bsc', [], until), count('eth', [], until)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(seen).toEqual(['bsc begins', 'bsc ends', 'eth begins', 'eth ends'])
  })

  it('are counted again if that failed', async () => {
    const counts = reading()
    failure = new Error('the database is away')
    await expect(counts.of([row(1)])).rejects.toBe(failure)
    failure = null
    expect(traders(await counts.of([row(1)]))).toEqual([1])
  })

  it('are unknown while a count outlasts the patience, and no other begins meanwhile', async () => {
    const counts = reading(1)
    expect(traders(await counts.of([row(1)]))).toEqual([1])
    let end: () => void = () => undefined
    counted = new Promise((resolve) => {
      end = resolve
    })
    expect(traders(await counts.of([row(1), row(2)]))).toEqual([1, undefined])
    expect(traders(await counts.of([row(3), row(1)]))).toEqual([undefined, 1])
    expect(requested.flat().map(({ token }) => token)).toEqual([1, 2].map((n) => hexNumber(n)))
    end()
    await expect.poll(async () => traders(await counts.of([row(2)]))).toEqual([2])
    await expect.poll(async () => traders(await counts.of([row(3)]))).toEqual([3])
    // The next reading counts all that were requested.
    requested = []
    await reading().countAgain(counts, () => figures(1))
    expect(requested.flat()).toHaveLength(3)
  })

  it('of rows that were requested last are counted for the next reading, with its hops, up to some millions', async () => {
    const counts = reading()
    await counts.of([row(1), row(2), row(3), row(4)])
    requested = []
    const next = reading()
    const hops = new Map([1_500_000, 100_000, 0, 400_000].map((swaps, n) => [hexNumber(n + 1), swaps]))
    hops.delete(hexNumber(3))
    await next.countAgain(counts, ({ token }) => (hops.has(token) ? figures(hops.get(token) ?? 0) : null))
    expect(requested).toEqual([
      [
        { token: hexNumber(4), hops: [0, 400_000, 400_000, 400_000] },
        { token: hexNumber(2), hops: [0, 100_000, 100_000, 100_000] },
        { token: hexNumber(1), hops: [0, 1_500_000, 1_500_000, 1_500_000] },
      ],
    ])
    hops.set(hexNumber(1), 1_500_001)
    requested = []
    await reading().countAgain(counts, ({ token }) => (hops.has(token) ? figures(hops.get(token) ?? 0) : null))
    expect(requested.flat()).toHaveLength(2)
    // Nobody has requested a row of the second reading.
    requested = []
    await reading().countAgain(next, () => figures(1))
    expect(requested).toEqual([])
  })
})
