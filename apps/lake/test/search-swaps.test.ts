import { join } from 'node:path'
import {
  DAY_S,
  dateOfDay,
  dayOf,
  NETWORKS,
  type NetworkName,
  type PricedTrade,
  present,
  startOfDay,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import {
  type IndexerStore,
  type LakeReads,
  type LakeRequest,
  LakeUnavailable,
  openIndexerStore,
  openReader,
  type SwapFilter,
  type SwapSearch,
} from '@dexfeed/store'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { hexNumber } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Duck, openDuck, quoted } from '../src/duck.ts'
import { fileKey } from '../src/manifest.ts'
import { type LakeRowReads, openLakeReads, parseRequest } from '../src/reading/lake-reads.ts'
import { searchSwaps } from '../src/reading/search-swaps.ts'
import type { TableName } from '../src/tables.ts'
import { writeDay } from '../src/write-day.ts'
import {
  ANCHOR,
  dayWriter,
  dropBefore,
  emptyWorld,
  FIRST_DAY,
  fillNetwork,
  openWorld,
  POOLS,
  startOf,
  TOKENS,
  tradesOfDays,
  type World,
} from './lake-world.ts'

// day      0       1     2     3     4      5
//        partly | ------ complete ------ | partly
// lake            the days before `kept`
// Postgres                  `kept` and later
const DAYS = 4
const COMPLETE = [1, 2, 3, 4].map((n) => FIRST_DAY + n)
const FIRST = FIRST_DAY + 1
const NAMES = ['eth', 'bsc'] as const

/** Networks share times, and no transactions. */
function tradesOf(trades: readonly PricedTrade[], network: NetworkName): PricedTrade[] {
  return trades.map((trade) => {
    const txHash = hexNumber((BigInt(NETWORKS[network].chainId) << 64n) + BigInt(trade.txHash), 64)
    const [sell, buy] = [trade.sell, trade.buy].map((leg, n) => {
      return { ...leg, native: leg.token === ANCHOR && (trade.blockNumber + n) % 2 === 0 }
    }) as [PricedTrade['sell'], PricedTrade['buy']]
    return { ...trade, txHash, sell, buy }
  })
}

const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 })
const tokens = [...TOKENS.map(({ address }) => address), hexNumber(4), ZERO_ADDRESS, hexNumber(0x999)]
const anyTime = fc
  .integer({ min: startOf(1) - 3_600, max: startOf(DAYS + 1) + 3_600 })
  .chain((time) => fc.constantFrom(time, time - (time % 1_200), dayOf(time) * DAY_S))

const FILTERS: { [Name in keyof Required<SwapFilter>]: fc.Arbitrary<SwapFilter[Name]> } = {
  /** Stands for one of the trades. */
  txHash: fc.nat().map((n) => hexNumber(n, 64)),
  trader: maybe(hexNumber(0xb0), hexNumber(0xb1), hexNumber(0x999)),
  token: maybe(...tokens),
  sellToken: maybe(...tokens),
  buyToken: maybe(...tokens),
  pool: maybe(...POOLS.map(({ address }) => address), hexNumber(0x999)),
  protocol: maybe('uniswap-v2', 'other-v2', "o'ther"),
  since: fc.option(anyTime, { nil: undefined }),
  until: fc.option(anyTime, { nil: undefined }),
  minUsd: maybe('0', '100', '5000.00000001'),
  maxUsd: maybe('100', '9000', '999999999999999999.99999999'),
}

const filters: fc.Arbitrary<SwapFilter> = fc
  .record(FILTERS)
  .chain((all) =>
    fc.subarray(Object.keys(all) as (keyof SwapFilter)[], { maxLength: 3 }).map((names) => picked(all, names)),
  )

function picked(all: { [Name in keyof SwapFilter]?: unknown }, names: readonly (keyof SwapFilter)[]): SwapFilter {
  return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])))
}

const anySearch = fc.record({
  search: fc.record({
    filter: filters,
    network: fc.option(fc.constantFrom(...NAMES), { nil: undefined }),
    ascending: fc.boolean(),
    final: fc.boolean(),
    limit: fc.integer({ min: 1, max: 30 }),
  }),
  limits: fc.record({
    scanRows: fc.integer({ min: 7, max: 100 }),
    maxDays: fc.integer({ min: 1, max: 6 }),
    lakeMs: fc.constantFrom(0, 60_000, 60_000),
  }),
  reading: fc.option(
    fc.record({
      firstRows: fc.constantFrom(3, 1_000),
      maxMs: fc.constantFrom(0, 60_000),
      shownTogether: fc.constantFrom(3, 100),
    }),
    {
      freq: 3,
    },
  ),
})
type AnySearch = typeof anySearch extends fc.Arbitrary<infer Value> ? Value : never

/** All trades, both ways, in pages that begin and end within days. */
const WHOLE = [true, false].map((ascending): AnySearch => {
  const search = { filter: {}, network: undefined, ascending, final: false, limit: 4 }
  const limits = { scanRows: 100, maxDays: 6, lakeMs: 0 } as const
  return { search, limits, reading: { firstRows: 3, maxMs: 0, shownTogether: 3 } }
})

const anyTrades = tradesOfDays(DAYS)
let world: World
let duck: Duck
let program: LakeRowReads
const stores = {} as Record<(typeof NAMES)[number], IndexerStore>

beforeAll(async () => {
  world = await openWorld()
  for (const network of NAMES) stores[network] = openIndexerStore(world.database, network)
  duck = await openDuck(world.work, new AbortController().signal)
  closeAfter(() => duck.close())
  program = openLakeReads(world.objects, { folder: world.lake }, temporaryFolder())
  closeAfter(() => program.close())
})

/** Reads like the lake program, but with other limits; null has its own. */
function lakeOf(reading: AnySearch['reading']): LakeReads {
  if (reading === null) return program
  return {
    async rows(request) {
      const { network, firstDay, versions, of } = parseRequest(
        JSON.parse(JSON.stringify(request)),
      ) as LakeRequest<'swaps'>
      const from = (table: TableName) => {
        const key = fileKey(table, { network, date: dateOfDay(firstDay) }, present(versions[0]))
        return `read_parquet(${quoted(join(world.lake, key))})`
      }
      async function* rows(sql: string) {
        yield* await duck.rows(sql)
      }
      const found = []
      for await (const row of searchSwaps({ from, rows, span: request }, of, reading)) found.push(row)
      expect(found.filter((row) => 'network' in row).length).toBeLessThanOrEqual(of.limit)
      return found as never[]
    },
  }
}

interface Page {
  rows: unknown[]
  reached: SwapSearch['from']
  inLake: boolean
}

async function pageOf({ search, limits, reading }: AnySearch, from: SwapSearch['from']): Promise<Page> {
  const { network, ...others } = search
  const wanted = { ...others, ...(network && { network }), from, inLake: true }
  const reader = openReader(world.database, { search: limits, lake: lakeOf(reading) })
  const { rows, reached, tokens, lakeDays } = await reader.findSwaps(wanted)
  expect(rows.length).toBeLessThanOrEqual(search.limit)
  const named = rows.map((row) => {
    const known = tokens.get(row.network)
    return { ...row, tokens: [known?.get(row.sellToken), known?.get(row.buyToken)] }
  })
  return { rows: named.filter(({ time }) => dayOf(time) >= FIRST), reached, inLake: lakeDays !== null }
}

/** Returns the rows of all pages from a place on. */
async function walk(search: AnySearch, from: SwapSearch['from'] = null) {
  const rows: unknown[] = []
  let inLake = false
  for (let place = from; ; ) {
    const page = await pageOf(search, place)
    rows.push(...page.rows)
    inLake ||= page.inLake
    if (page.reached === null) return { rows, inLake }
    place = page.reached
  }
}

async function fill(onEth: readonly PricedTrade[], onBsc: readonly PricedTrade[]): Promise<void> {
  await emptyWorld(world)
  await fillNetwork(stores.eth, 'eth', onEth, DAYS)
  await fillNetwork(stores.bsc, 'bsc', onBsc, DAYS)
}

async function drop(kept: number): Promise<void> {
  await dropBefore(world, kept - FIRST_DAY)
  expect(await stores.bsc.keptSince()).toBe(kept * DAY_S)
}

function withTrade(search: AnySearch, trades: readonly PricedTrade[]): AnySearch {
  const { txHash } = search.search.filter
  if (txHash === undefined) return search
  const trade = present(trades[Number(txHash) % trades.length])
  return { ...search, search: { ...search.search, filter: { ...search.search.filter, txHash: trade.txHash } } }
}

async function writeDaysBefore(kept: number): Promise<void> {
  for (const network of NAMES) {
    for (const day of COMPLETE.filter((day) => day < kept)) {
      const written = await writeDay(dayWriter(world), { network, day }, new AbortController().signal)
      expect(written).not.toBeNull()
    }
  }
}

describe('a search that reaches into the lake', () => {
  it('finds what it would find if all days were kept, also if days are dropped between two pages', async () => {
    const seen = { rows: 0, inLake: 0, continued: 0 }
    const property = fc.asyncProperty(
      anyTrades,
      anyTrades,
      fc.integer({ min: FIRST, max: FIRST + 4 }),
      fc.array(anySearch, { minLength: 6, maxLength: 6 }),
      async (eth, bsc, kept, anySearches) => {
        const [onEth, onBsc] = [tradesOf(eth, 'eth'), tradesOf(bsc, 'bsc')]
        const searches = [...WHOLE, ...anySearches].map((search) => withTrade(search, [...onEth, ...onBsc]))
        await fill(onEth, onBsc)
        const expected = []
        for (const search of searches) expected.push({ ...(await walk(search)), first: await pageOf(search, null) })
        expect(expected.some(({ inLake }) => inLake)).toBe(false)
        await writeDaysBefore(kept)
        await drop(kept)
        for (const [n, search] of searches.entries()) {
          const { rows, first } = present(expected[n])
          const found = await walk(search)
          expect({ search, rows: found.rows }).toEqual({ search, rows })
          if (found.inLake) seen.rows += rows.length
          seen.inLake += Number(found.inLake)
          if (first.reached === null) continue
          seen.continued++
          expect([...first.rows, ...(await walk(search, first.reached)).rows]).toEqual(rows)
        }
      },
    )
    await fc.assert(property, { numRuns: 3 * inject('scale'), endOnFailure: true })
    expect(Math.min(seen.rows, seen.inLake, seen.continued)).toBeGreaterThan(10)
  })

  const wanted = { filter: {}, ascending: true, from: null, limit: 1_000, inLake: true } as const
  const placesOf = ({ rows }: { rows: readonly { network: string; blockNumber: number; time: number }[] }) =>
    rows.filter(({ time }) => dayOf(time) >= FIRST).map(({ network, blockNumber }) => `${network} ${blockNumber}`)

  it('begins a page again if days are dropped while it is read', async () => {
    const [eth = [], bsc = []] = fc.sample(tradesOfDays(DAYS, 30, 60), { numRuns: 2, seed: 3 })
    await fill(tradesOf(eth, 'eth'), tradesOf(bsc, 'bsc'))
    const all = await openReader(world.database).findSwaps(wanted)
    expect(all.rows.length).toBeGreaterThan(20)
    await writeDaysBefore(FIRST + 4)
    await drop(FIRST + 1)
    let calls = 0
    const lake: LakeReads = {
      async rows(...request) {
        if (calls++ === 0) await drop(FIRST + 3)
        return program.rows(...request)
      },
    }
    const found = await openReader(world.database, { lake }).findSwaps(wanted)
    expect(placesOf(found)).toEqual(placesOf(all))
    expect(found.lakeDays).toEqual({ first: FIRST, last: FIRST + 2 })
  })

  it('searches no further day once it has found a transaction', async () => {
    let calls = 0
    const lake: LakeReads = {
      rows(...request) {
        calls++
        return program.rows(...request)
      },
    }
    const reader = openReader(world.database, { lake })
    const { rows } = await reader.findSwaps(wanted)
    const [first] = rows
    const [txHash, network] = [present(first).txHash, present(first).network]
    calls = 0
    const found = await reader.findSwaps({ ...wanted, filter: { txHash }, network })
    expect(found).toMatchObject({ rows: [first], reached: null, lakeDays: { first: FIRST } })
    expect(calls).toBe(1)
  })

  it('fails if the lake cannot be read, and does not read it for other searches', async () => {
    const lake: LakeReads = {
      rows: async () => {
        throw new LakeUnavailable('it is away')
      },
    }
    const reader = openReader(world.database, { lake })
    await expect(reader.findSwaps(wanted)).rejects.toThrow(LakeUnavailable)
    // The newest trades are those of kept days.
    const newest = { ...wanted, ascending: false }
    const page = await reader.findSwaps(newest)
    expect(page.rows.length).toBeGreaterThan(0)
    await expect(reader.findSwaps({ ...newest, from: page.reached })).rejects.toThrow(LakeUnavailable)
    const { inLake: _, ...others } = wanted
    const { rows, lakeDays } = await reader.findSwaps(others)
    expect(rows.every(({ time }) => dayOf(time) >= FIRST + 3)).toBe(true)
    expect(lakeDays).toBe(null)
  })

  it('goes on in the lake for a network after another one, which has only kept days, has ended', async () => {
    const kept = startOfDay(FIRST + 3)
    await world.database.pool.query(`UPDATE covered_range SET from_time = to_timestamp($1) WHERE chain_id = 1`, [kept])
    await world.database.pool.query('DELETE FROM swap WHERE chain_id = 56 AND block_time >= to_timestamp($1)', [kept])
    const reader = openReader(world.database, { lake: program })
    const oldestFirst = await reader.findSwaps(wanted)
    const rows = []
    let from: SwapSearch['from'] = null
    do {
      const page = await reader.findSwaps({ ...wanted, ascending: false, limit: 3, from })
      rows.push(...page.rows)
      from = page.reached
    } while (from !== null)
    expect(rows.some(({ network }) => network === 'eth')).toBe(true)
    expect(rows.some(({ network }) => network === 'bsc')).toBe(true)
    expect(rows).toEqual(oldestFirst.rows.toReversed())
  })
})
