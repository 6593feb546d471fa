import { type Address, NETWORKS, type NetworkName, ZERO_ADDRESS } from '@dexfeed/dex'
import type { Database } from '@dexfeed/store'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, type SeedSwap, seedNetwork, seedPool, seedSwaps } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import type { Client } from 'pg'
import { beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { open } from '../../test/rows/sample.ts'
import { building, missingSearchIndexes } from '../tables/swap/search-index.ts'
import type { FoundSwap } from '../tables/swap/swap-page.ts'
import { lookedUp, type SwapFilter } from '../tables/swap/swap-search.ts'
import { findSwaps, type SwapSearch } from './find-swaps.ts'

/** 2026-11-20 23:00 UTC: the rows lie on both sides of midnight. */
const START = Date.UTC(2026, 10, 20, 23) / 1000
const [A, B, C] = [hexNumber(0xa), hexNumber(0xb), hexNumber(0xc)]
const TRADERS = [hexNumber(1), hexNumber(2), hexNumber(3)]
const POOLS = [hexNumber(0x901), hexNumber(0x902)]

interface Row extends SeedSwap {
  pool: Address
}

let url: string
let database: Database
let owner: Client
const rows: Row[] = []

beforeAll(async () => {
  url = await testDatabase()
  owner = await connectTo(url)
  database = await open(url, { max: 2 })
  const end = START + 7_200
  for (const [at, network] of (['eth', 'bsc'] as const).entries()) {
    await seedNetwork(owner, {
      network,
      wrapped: A,
      start: { number: 1, time: START },
      head: { number: 1_000, time: end },
      final: 900,
      covered: [[0, 1_000, START, end]],
    })
    await seedPool(owner, { network, address: POOLS[0] ?? A, token0: A, token1: B })
    await seedPool(owner, { network, address: POOLS[1] ?? A, token0: B, token1: C })
    for (let n = 0; n < 60; n++) {
      const [sell, buy, pool] = n % 3 === 0 ? [A, B, POOLS[0]] : n % 3 === 1 ? [B, A, POOLS[0]] : [C, B, POOLS[1]]
      rows.push({
        network,
        block: 10 + Math.floor(n / 2),
        transaction: n % 2,
        position: 0,
        // Blocks share a second, also across the two networks; one network is ahead of the other.
        time: START + (at === 0 ? 300 : 450) * Math.floor(n / 4),
        sellNative: sell === A && n % 2 === 0,
        buyNative: buy === A && n % 4 === 0,
        trader: TRADERS[n % 7] ?? TRADERS[2] ?? A,
        sell,
        buy,
        pool: pool ?? A,
        usd: n % 5 === 0 ? null : `${n}.00000000`,
      })
    }
  }
  await seedSwaps(owner, rows)
  await seedHops(rows)
  // Only one of the two days has its search indexes.
  const ofFirst = (await missingSearchIndexes(database.prisma)).filter(({ table }) => table === 'swap_20261120')
  for (const statement of ofFirst.flatMap(building)) await owner.query(statement)
})

async function seedHops(swaps: readonly Row[]): Promise<void> {
  for (const date of ['20261120', '20261121']) {
    await owner.query(`CREATE TABLE swap_hop_${date} PARTITION OF swap_hop (PRIMARY KEY (chain_id, block_number, transaction_index, log_index)) FOR VALUES FROM
      ('${date}'::timestamptz AT TIME ZONE 'UTC' AT TIME ZONE 'UTC') TO (('${date}'::date + 1)::timestamptz)`)
  }
  for (const { network, block, transaction, time, pool, sell, buy } of swaps) {
    await owner.query(
      'INSERT INTO swap_hop VALUES ($1, $2, $3, 5, 0, to_timestamp($4), $5, $6, 7, $7, 8, 1.00000000)',
      [
        ...[NETWORKS[network].chainId, block, transaction ?? 0, time, BigInt.asIntN(64, BigInt(pool))],
        ...[Buffer.from(sell.slice(2), 'hex'), Buffer.from(buy.slice(2), 'hex')],
      ],
    )
  }
}

const placeOf = ({ network, block, transaction = 0 }: Row) => `${network} ${block} ${transaction}`
const nameOf = ({ network, blockNumber, transactionIndex }: FoundSwap) =>
  `${network} ${blockNumber} ${transactionIndex}`

/** The wrapper also finds the native coin; the zero address finds only the native coin. */
const isLeg = (row: Row, leg: 'sell' | 'buy', token: Address) =>
  token === ZERO_ADDRESS ? row[`${leg}Native`] === true : row[leg] === token

/** Computes the expected result by checking every row. */
function expected(filter: SwapFilter, network: NetworkName | undefined, ascending: boolean): string[] {
  const isMatch = (row: Row) =>
    (network === undefined || row.network === network) &&
    (filter.trader === undefined || row.trader === filter.trader) &&
    (filter.token === undefined || isLeg(row, 'sell', filter.token) || isLeg(row, 'buy', filter.token)) &&
    (filter.sellToken === undefined || isLeg(row, 'sell', filter.sellToken)) &&
    (filter.buyToken === undefined || isLeg(row, 'buy', filter.buyToken)) &&
    (filter.pool === undefined || row.pool === filter.pool) &&
    (filter.protocol === undefined || filter.protocol === 'seeded') &&
    (filter.since === undefined || row.time >= filter.since) &&
    (filter.until === undefined || row.time < filter.until) &&
    (filter.minUsd === undefined || (row.usd != null && Number(row.usd) >= Number(filter.minUsd))) &&
    (filter.maxUsd === undefined || (row.usd != null && Number(row.usd) <= Number(filter.maxUsd)))
  const order = ({ network, time, block, transaction = 0 }: Row) =>
    (time - START) * 10_000 + (network === 'eth' ? 0 : 5_000) + block * 10 + transaction
  const sorted = rows.filter(isMatch).sort((a, b) => order(a) - order(b))
  return (ascending ? sorted : sorted.reverse()).map(placeOf)
}

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 })
const filters: fc.Arbitrary<SwapFilter> = fc
  .record({
    trader: maybe([...TRADERS, hexNumber(0x999)]),
    token: maybe([A, B, C, ZERO_ADDRESS]),
    sellToken: maybe([A, B, C, ZERO_ADDRESS]),
    buyToken: maybe([A, B, ZERO_ADDRESS]),
    pool: maybe([...POOLS, hexNumber(0x999)]),
    protocol: maybe(['seeded', 'other']),
    since: maybe([START + 1_000, START + 3_600]),
    until: maybe([START + 3_600, START + 5_000]),
    minUsd: maybe(['10', '30.5']),
    maxUsd: maybe(['40.00000000']),
  })
  .chain((all) =>
    fc
      .subarray(Object.keys(all) as (keyof SwapFilter)[], { maxLength: 3 })
      .map((names) =>
        Object.fromEntries(names.flatMap((name) => (all[name as 'trader'] ? [[name, all[name as 'trader']]] : []))),
      ),
  )

/** Times within a day or outside of it, by more or less than block times may deviate. */
const cuts = maybe([-600, 1, 700, 1_500, 2_999, 3_600, 3_601, 4_500, 5_400, 9_000].map((s) => START + s))
const times: fc.Arbitrary<SwapFilter> = fc
  .record({ since: cuts, until: cuts })
  .map(({ since, until }) => ({ ...(since && { since }), ...(until && { until }) }))

/** The last page begins after the first of two trades of the last block before `until`. */
const INSIDE_LAST_BLOCK: [SwapFilter, NetworkName, boolean, number, { lookupRows: 0; scanRows: number; maxDays: 2 }] = [
  ...([{ since: START + 2_999, until: START + 4_500 }, 'eth', true, 19] as const),
  { lookupRows: 0, scanRows: 100, maxDays: 2 },
]

describe('a search', () => {
  it.each([
    ['by anything', filters],
    ['by time', times],
  ])(
    '%s finds what checking every row finds, forwards and backwards, with any limits per read',
    async (_by, filters) => {
      const property = fc.asyncProperty(
        filters,
        maybe<NetworkName>(['eth', 'bsc']),
        fc.boolean(),
        fc.integer({ min: 5, max: 50 }),
        fc.record({
          lookupRows: fc.constantFrom(0, 15, 1_000),
          scanRows: fc.integer({ min: 7, max: 100 }),
          maxDays: fc.constantFrom(1, 2),
        }),
        async (filter, network, ascending, limit, limits) => {
          const search = { filter, ascending, limit, ...(network && { network }) }
          const matching = expected(filter, network, ascending)
          const there = await walk({ ...search, from: null }, limits)
          expect(there.names).toEqual(matching)
          if (there.last === null) return
          // Pages back from where the last page began to the start.
          const seen = matching.slice(0, there.beforeLast)
          const back = await walk({ ...search, ascending: !ascending, from: there.last }, limits)
          expect(back.names).toEqual(seen.reverse())
        },
      )
      await fc.assert(property, { numRuns: 10 * inject('scale'), examples: [INSIDE_LAST_BLOCK] })
    },
  )

  it('reads a bounded number of rows and returns its position', async () => {
    const nothing = { filter: { minUsd: '1000000' }, ascending: false, from: null, limit: 10 }
    const { rows, reached } = await findSwaps(database, nothing, { scanRows: 20 })
    expect(rows).toEqual([])
    expect(reached).not.toBeNull()
  })

  it.each<[string, SwapFilter]>([
    ['a value without an index', { minUsd: '1' }],
    ['a value with an index', { token: B }],
  ])('one statement finds %s among the newest trades', async (_name, filter) => {
    const connect = vi.spyOn(database.pool, 'connect')
    await findSwaps(database, { filter, ascending: false, from: null, limit: 10 })
    expect(connect).toHaveBeenCalledTimes(1)
    connect.mockRestore()
  })

  it('shows hops with their pools, and what is final', async () => {
    const found = await findSwaps(database, { filter: {}, network: 'bsc', ascending: true, from: null, limit: 1 })
    expect(found.rows[0]?.hops).toEqual([
      expect.objectContaining({ pool: { address: POOLS[0], dex: 'seeded' }, tokenIn: A, tokenOut: B, amountIn: '7' }),
    ])
    expect(found.networks[0]?.finalNumber).toBe(900)
  })

  it('goes down from the last final block if only final trades are requested', async () => {
    const search = { filter: {}, network: 'eth', ascending: false, from: null, limit: 5 } as const
    const all = await findSwaps(database, { ...search, limit: 100 })
    try {
      await owner.query('UPDATE network SET final_number = 37')
      const { rows } = await findSwaps(database, { ...search, final: true })
      const final = all.rows.filter(({ blockNumber }) => blockNumber <= 37)
      expect(rows.map(nameOf)).toEqual(final.map(nameOf).slice(0, 5))
    } finally {
      await owner.query('UPDATE network SET final_number = 900')
    }
  })

  it.each([{ limit: 1 }, { limit: 100 }, { limit: 10, network: 'eth' as const }])(
    'loses no trade of a network whose head has moved since the last search: %o',
    async (options) => {
      const search = { filter: {}, ascending: false, from: null, ...options } as const
      const all = await walk(search, {})
      await owner.query('UPDATE network SET head_number = 15 WHERE chain_id = 1')
      await findSwaps(database, search)
      await owner.query('UPDATE network SET head_number = 1000 WHERE chain_id = 1')
      expect((await walk(search, {})).names).toEqual(all.names)
    },
  )

  it('reads the days of networks that have changed since the last search', async () => {
    const search = { filter: {}, ascending: false, from: null, limit: 100 } as const
    const all = await walk(search, {})
    await owner.query(
      `UPDATE covered_range SET to_time = to_time - interval '1 day'; UPDATE network SET head_time = head_time - interval '1 day'`,
    )
    const before = await walk(search, {})
    expect(before.names.length).toBeLessThan(all.names.length)
    await owner.query(
      `UPDATE covered_range SET to_time = to_time + interval '1 day'; UPDATE network SET head_time = head_time + interval '1 day'`,
    )
    expect((await walk(search, {})).names).toEqual(all.names)
  })

  it('begins with the newest day without a head, as after a repair', async () => {
    const search = { filter: {}, ascending: false, from: null, limit: 100 } as const
    const all = await walk(search, {})
    try {
      await owner.query('CREATE TABLE heads AS SELECT * FROM network')
      await owner.query(`UPDATE network SET head_number = NULL, head_hash = NULL, head_time = NULL,
        chain_head_number = NULL, chain_head_time = NULL`)
      expect((await walk(search, {})).names).toEqual(all.names)
    } finally {
      await owner.query(`UPDATE network SET head_number = h.head_number, head_hash = h.head_hash, head_time = h.head_time,
        chain_head_number = h.chain_head_number, chain_head_time = h.chain_head_time
        FROM heads h WHERE h.chain_id = network.chain_id; DROP TABLE heads`)
    }
  })

  const ends = () =>
    Promise.all(
      [true, false].map((ascending) =>
        findSwaps(database, { filter: {}, network: 'eth', ascending, from: null, limit: 1 }),
      ),
    )

  it('finds a transaction on whatever day it is', async () => {
    for (const { rows: only } of await ends()) {
      const txHash = only[0]?.txHash ?? '0x'
      const found = await findSwaps(database, { filter: { txHash }, ascending: false, from: null, limit: 10 })
      expect(found.rows.map(nameOf)).toEqual(only.map(nameOf))
      expect(found.reached).toBeNull()
    }
  })

  it('reads no day that is being filled if another one has the transaction', async () => {
    const [first] = await ends()
    const txHash = first?.rows[0]?.txHash ?? '0x'
    // A connection without a prepared plan, because a generic plan would lock all days.
    const fresh = await open(url, { max: 2 })
    await owner.query('BEGIN; LOCK TABLE swap_20261121')
    try {
      const signal = AbortSignal.timeout(30_000)
      const found = await findSwaps(fresh, { filter: { txHash }, ascending: false, from: null, limit: 10, signal })
      expect(found.rows).toHaveLength(1)
    } finally {
      await owner.query('ROLLBACK')
    }
  })

  it.each<[string, number[], { found: boolean; common: boolean }, number?]>([
    ['looks a trader up', [], { found: true, common: false }],
    ['leaves a day that is being filled to a scan', [20_777], { found: false, common: true }],
    ['leaves a day with many rows of the trader to a scan', [], { found: false, common: true }, 3],
    ['counts rows of other networks, which an index does not know', [], { found: false, common: true }, 8],
  ])('%s', async (_name, unindexed, expected, maxRows = 1_000) => {
    const filter = { trader: TRADERS[0] ?? A }
    const search = { network: 'eth', filter, ascending: true, from: null, days: [20_777], limit: 100 } as const
    const { text, values } = lookedUp(search, { maxRows, budget: 1_000, unindexed })
    const { rows: found } = await owner.query<{ matching: boolean; common: boolean }>(text, values)
    expect(found.some(({ matching }) => matching)).toBe(expected.found)
    expect(found.at(-1)).toMatchObject({ matching: false, common: expected.common })
  })
})

/** Returns all pages of a search, one after the other. */
async function walk(search: SwapSearch, limits: object) {
  const names: string[] = []
  let [beforeLast, from, last]: [number, SwapSearch['from'], SwapSearch['from']] = [0, search.from, null]
  for (;;) {
    const found = await findSwaps(database, { ...search, from }, limits)
    expect(found.rows.length).toBeLessThanOrEqual(search.limit)
    expect(found.rows.filter(({ hops }) => hops.length === 0)).toEqual([])
    beforeLast = names.length
    names.push(...found.rows.map(nameOf))
    if (found.reached === null) return { names, beforeLast, last }
    from = last = found.reached
  }
}
