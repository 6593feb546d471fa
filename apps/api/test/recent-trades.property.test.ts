import { NETWORK_NAMES, NETWORKS, type NetworkName, present, ROW_RULES, ZERO_ADDRESS } from '@dexfeed/dex'
import { openDatabase, openReader, type Reader, type SwapSearch } from '@dexfeed/store'
import { closeAfter, connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import type { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import type { Changes } from '../src/service/change-feed.ts'
import { RecentTrades } from '../src/v1/recent/recent-trades.ts'
import { swapOf } from '../src/v1/swaps.ts'
import { NOON } from './api-fixture.ts'
import { IndexedWorld, type Step, step } from './indexed-world.ts'

// Searches of trades in memory find what searches of the database find, whatever happened to it before.

const RUNS = inject('scale')
const [TOKEN, WRAPPED] = [hexNumber(0xb), hexNumber(0xa)]
const FILTERS: SwapSearch['filter'][] = [
  {},
  { token: TOKEN },
  { token: WRAPPED, minUsd: '1.25' },
  { sellToken: ZERO_ADDRESS },
  { buyToken: WRAPPED, maxUsd: '1.25000000' },
  { since: NOON - 20_000 },
  { until: NOON - 4_000 },
]
const SEARCHES: SwapSearch[] = FILTERS.flatMap((filter) =>
  ([undefined, 'eth'] as const).flatMap((network) =>
    [1, 7].map((limit) => ({ filter, ...(network && { network }), ascending: false, from: null, limit })),
  ),
)

/** Compares the pages of a search, up to four. Returns how many were found in memory. */
async function compare(reader: Reader, recent: RecentTrades, first: SwapSearch): Promise<number> {
  let pages = 0
  for (let search = first; ; ) {
    const found = recent.find(search)
    if (found === null) return pages
    const stored = await reader.findSwaps(search)
    const rows = stored.rows.map((swap) => {
      const indexed = present(stored.networks.find(({ network }) => network === swap.network))
      return { ...swap, row: swapOf(swap, stored.tokens.get(swap.network), indexed) }
    })
    expect(found.rows, JSON.stringify(search)).toEqual(rows)
    expect(found.networks).toMatchObject(stored.networks)
    if (first.network !== undefined) expect(found.reached).toEqual(stored.reached)
    search = { ...search, from: found.reached }
    if (++pages === 4) return pages
  }
}

interface Recent {
  owner: Client
  reader: Reader
  recent: RecentTrades
  /** Announces a change of the database. */
  change(network: NetworkName | null): void
}

async function openRecent(): Promise<Recent> {
  const url = await testDatabase()
  const database = await openDatabase(url, { applicationName: 'dexfeed-api-test', readOnly: true, max: 2 })
  closeAfter(() => database.close())
  const reader = openReader(database)
  let change: Recent['change'] = () => undefined
  const subscribe: Changes['subscribe'] = (listener) => {
    change = (network) => listener({ network })
    return () => undefined
  }
  const recent = new RecentTrades({ reader, changes: { subscribe } })
  closeAfter(() => recent.stop())
  return { owner: await connectTo(url), reader, recent, change }
}

async function live({ owner, reader, recent, change }: Recent, steps: readonly Step[]): Promise<number> {
  await owner.query(
    'TRUNCATE network, swap, liquidity_event, pool, pool_creation, token, list_cell, covered_range CASCADE',
  )
  const world = new IndexedWorld(owner)
  await world.begin()
  for (const network of NETWORK_NAMES) {
    await owner.query('INSERT INTO covered_range VALUES ($1, 0, 1000000, to_timestamp($2), to_timestamp($3), $4)', [
      ...[NETWORKS[network].chainId, NOON - 3 * 86_400, NOON + 4 * 86_400, ROW_RULES],
    ])
  }
  let pages = 0
  for (const one of steps) {
    if (one.kind !== 'time' && one.kind !== 'restart' && one.kind !== 'damage') await world.take(one)
    change(null)
    await recent.refresh()
    for (const search of SEARCHES) pages += await compare(reader, recent, search)
  }
  return pages
}

it('a search of trades in memory finds what the database finds, after anything that happens to it', async () => {
  const own = await openRecent()
  const grow = { kind: 'grow', network: 'eth', blocks: 3, final: 2 } as const
  expect(await live(own, [grow])).toBeGreaterThan(SEARCHES.length)
  const some = fc.array(step, { minLength: 4, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(some, async (steps) => void (await live(own, steps))),
    { numRuns: RUNS, endOnFailure: true },
  )
}, 300_000)

it('searches the database while a change is not read yet', async () => {
  const { owner, recent, change } = await openRecent()
  await new IndexedWorld(owner).begin()
  const ofEth: SwapSearch = { filter: {}, network: 'eth', ascending: false, from: null, limit: 5 }
  expect(recent.find(ofEth)).toBeNull()
  await recent.refresh()
  expect(recent.find(ofEth)).not.toBeNull()
  change('bsc')
  expect(recent.find(ofEth)).not.toBeNull()
  expect(recent.find({ ...ofEth, ascending: true })).toBeNull()
  expect(recent.find({ ...ofEth, final: true })).toBeNull()
  change('eth')
  expect(recent.find(ofEth)).toBeNull()
  await recent.refresh()
  expect(recent.find(ofEth)).not.toBeNull()
})
