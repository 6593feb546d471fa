import { createLogger } from '@dexfeed/service'
import type { TradersRequest } from '@dexfeed/store'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { beforeEach, describe, expect, it, vi } from 'vitest'
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
const log = createLogger({ name: 'test', level: 'silent' })
const warn = vi.spyOn(log, 'warn')
const reading = (patienceMs = 60_000) => new TraderCounts({ reader, log }, 'bsc', { to: 600, head: 5, patienceMs })
const figures = (swaps: number) => ({ swaps, ages: `[[1,${swaps},0,"0.00000000",0,0,"0.00000000","0.00000000"]]` })
const row = (n: number, swaps = n) => ({ counted: { token: hexNumber(n) }, figures: figures(swaps) })
const traders = (counts: Awaited<ReturnType<TraderCounts['of']>>) => counts.map((ages) => ages[3]?.traders)

beforeEach(() => {
  requested = []
  failure = null
  counted = Promise.resolve()
  warn.mockClear()
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

  it('are counted for one request of a network at a time, also after a failure', async () => {
    const seen: string[] = []
    const count = inTurn(async (network, _, { to }) => {
      seen.push(`${network} ${to} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${network} ${to} ends`)
      if (to === 1) throw new Error('the database is away')
      return []
    })
    const requests = [count('bsc', [], { to: 1, head: 5 }), count('bsc', [], { to: 2, head: 5 })]
    const all = await Promise.allSettled([...requests, count('eth', [], { to: 3, head: 5 })])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(seen.filter((one) => one.startsWith('bsc'))).toEqual([
      'bsc 1 begins',
      'bsc 1 ends',
      'bsc 2 begins',
      'bsc 2 ends',
    ])
    expect(seen.slice(0, 2)).toEqual(['bsc 1 begins', 'eth 3 begins'])
  })

  it('are counted for as many rows of a request as have some millions of hops, the smallest first', async () => {
    const counts = reading()
    const rows = Array.from({ length: 13 }, (_, n) => row(n + 1, 200_000 - n))
    // With more hops than are counted for one row, there is nothing to count.
    const found = await counts.of([row(99, 200_001), ...rows])
    expect(requested.flat()).toHaveLength(11)
    expect(traders(found).filter((each) => each === undefined)).toHaveLength(3)
    expect(traders(found).slice(1, 4)).toEqual([undefined, undefined, undefined])
    expect(traders(await counts.of(rows))).toEqual(rows.map(({ figures }) => figures.swaps))
  })

  it('are counted again if that failed', async () => {
    const counts = reading()
    failure = new Error('the database is away')
    await expect(counts.of([row(1)])).rejects.toBe(failure)
    failure = null
    expect(traders(await counts.of([row(1)]))).toEqual([1])
  })

  it('are counted later if a late count fails, which is logged once', async () => {
    const counts = reading(1)
    let fail: (error: Error) => void = () => undefined
    counted = new Promise((_, reject) => {
      fail = reject
    })
    expect(traders((await Promise.all([counts.of([row(1)]), counts.of([row(1)])])).flat())).toEqual([
      undefined,
      undefined,
    ])
    const error = new Error('the statement took too long')
    fail(error)
    counted = Promise.resolve()
    await expect.poll(async () => traders(await counts.of([row(1)]))).toEqual([1])
    expect(warn.mock.calls).toEqual([[{ network: 'bsc', err: error }, 'cannot count traders']])
  })

  it('that cannot be counted for the next reading are counted when they are requested', async () => {
    const previous = reading()
    await previous.of([row(1)])
    const counts = reading()
    failure = new Error('the database is away')
    await counts.countAgain(previous, () => figures(1))
    expect(warn).toHaveBeenCalledOnce()
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
    const rows = Array.from({ length: 14 }, (_, n) => row(n + 1))
    for (const one of rows) await counts.of([one])
    requested = []
    const next = reading()
    // The last one has more hops than are counted, and the one before it is gone.
    const hops = new Map(rows.map(({ counted }) => [counted.token, 190_000]))
    hops.set(hexNumber(14), 3_000_000)
    hops.delete(hexNumber(13))
    hops.set(hexNumber(1), 100_000)
    await next.countAgain(counts, ({ token }) => (hops.has(token) ? figures(hops.get(token) ?? 0) : null))
    expect(requested.flat().map(({ token }) => token)).toEqual(
      [14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1].map((n) => hexNumber(n)),
    )
    expect(requested.flat()[1]?.hops).toEqual([0, 190_000, 190_000, 190_000])
    // Nobody has requested a row of the second reading.
    requested = []
    await reading().countAgain(next, () => figures(1))
    expect(requested).toEqual([])
  })
})
