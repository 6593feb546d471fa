import { HOUR_S, ZERO_ADDRESS } from '@dexfeed/dex'
import {
  hexNumber,
  type SeedLiquidity,
  seedLiquidity,
  seedNetwork,
  seedPool,
  seedTokens,
} from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../../test/api-fixture.ts'

const [WBNB, USDT, ODD] = [hexNumber(0xbb), hexNumber(0x55), hexNumber(0x0dd)] as const
const PAIR = hexNumber(0x900)
/** A pool of the coin in a manager, and its id there. */
const ID = hexNumber(0x777n << 8n, 64)
const MANAGED = `${hexNumber(0x3a)}${ID.slice(2)}` as const
/** A pool whose state is known at full hours. */
const HELD = hexNumber(0x4e1d)
const [LP, OTHER] = [hexNumber(0xabc), hexNumber(0xdef)] as const
const PATH = '/v1/liquidity_events?network=bsc'

const MONDAY = Date.UTC(2026, 10, 2) / 1_000

/** Blocks 1 to 100, an event each; two in every tenth. */
const EVENTS: SeedLiquidity[] = Array.from({ length: 100 }, (_, n) => n + 1).flatMap((block) =>
  Array.from({ length: block % 10 === 0 ? 2 : 1 }, (_, logIndex) => ({
    ...{ network: 'bsc' as const, block, logIndex, time: NOON - 1_000 + block * 10 },
    ...{ pool: block % 3 === 0 ? MANAGED : PAIR, account: block % 4 === 0 ? OTHER : LP, isAdded: block % 2 === 0 },
    ...(block % 3 === 0
      ? { range: { tickLower: -block, tickUpper: block, liquidity: 10n ** 30n } }
      : { ...(block % 20 !== 1 && { amounts: [BigInt(block) * 10n ** 6n, 3n], usd: `${block}.00000000` }) }),
  })),
)

let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({ fill })
})

async function fill(owner: Client): Promise<void> {
  const at = { start: { number: 1, time: NOON - 999 }, head: { number: 100, time: NOON }, final: 90 }
  await seedNetwork(owner, { network: 'bsc', wrapped: WBNB, ...at })
  await seedTokens(owner, 'bsc', [
    { address: USDT, symbol: 'USDT', name: 'Tether', decimals: 6 },
    { address: WBNB, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18 },
    { address: ODD, symbol: 'ODD', name: '', decimals: null },
  ])
  await seedPool(owner, { network: 'bsc', address: PAIR, token0: USDT, token1: ODD })
  await seedPool(owner, { network: 'bsc', address: MANAGED, token0: ZERO_ADDRESS, token1: USDT })
  await seedPool(owner, { network: 'bsc', address: HELD, token0: USDT, token1: WBNB })
  await seedLiquidity(owner, EVENTS)
  await owner.query(
    `INSERT INTO hour_volume (chain_id, protocol, hour, trades, unpriced, volume_usd)
    VALUES (56, '', to_timestamp($1), 1, 0, 0)`,
    [NOON - 9 * HOUR_S],
  )
  await seedHours(owner)
}

/** Hours before noon, since when rows of pools count, and the price of the coin's wrapper. */
const HOURS = [
  [5, 5, 600],
  [4, 5, 500],
  [3, 3, 600],
  [2, 3, 600],
  [1, 3, 600],
  [0, 3, 700],
] as const
/** Hours before noon, and what the pool holds; unknown in one of them. */
const HELD_AT = [
  [8, [1n, 1n]],
  [5, [5_000_000n, 2n * 10n ** 18n]],
  [2, [7_000_000n, 3n * 10n ** 18n]],
  [1, []],
  [0, [8_000_000n, 10n ** 18n]],
] as const

async function seedHours(owner: Client): Promise<void> {
  const bytes = (address: string) => Buffer.from(address.slice(2), 'hex')
  for (const [ago, since, price] of HOURS) {
    const prices = [10n ** 18n, BigInt(price) * 10n ** 18n]
    await owner.query('INSERT INTO liquidity_hour VALUES (56, to_timestamp($1), 1, to_timestamp($2), $3, $4, $5)', [
      ...[NOON - ago * HOUR_S, NOON - since * HOUR_S, ago === 4, [USDT, WBNB].map(bytes), prices],
    ])
  }
  for (const [ago, amounts] of HELD_AT) {
    await owner.query('INSERT INTO pool_hour VALUES (to_timestamp($1), 56, $2, $3)', [
      ...[NOON - ago * HOUR_S, bytes(HELD), amounts],
    ])
  }
}

const blocksOf = (body: { data: { block_number: string }[] }) => body.data.map((row) => Number(row.block_number))
/** Blocks of the expected events, newest first. */
const blocksWith = (matches: (event: SeedLiquidity) => boolean) =>
  EVENTS.filter(matches)
    .map(({ block }) => block)
    .reverse()

describe('/v1/liquidity_events', () => {
  it('returns all that is stored of an event', async () => {
    const { status, body, headers } = await api.get(`${PATH}&limit=2&from=${NOON - 920}&to=${NOON - 900}&order=asc`)
    expect(status).toBe(200)
    expect(headers.get('x-indexed-block')).toBe('bsc=100')
    const usdt = { name: 'Tether', symbol: 'USDT', decimals: '6', address: USDT }
    expect(body.data).toEqual([
      {
        ...{ time: '2026-11-21T11:44:40.000Z', network: 'bsc', block_number: '8', tx_hash: hexNumber(8_000, 64) },
        ...{ transaction_index: 0, log_index: 0, kind: 'add', account: hexNumber(0xdef).replace('def', 'deF') },
        ...{ protocol: 'seeded', pool: PAIR },
        tokens: [
          { ...usdt, amount: '8000000', amount_decimal: '8.00000000' },
          {
            ...{ name: '', symbol: 'ODD', decimals: null, address: body.data[0].tokens[1].address },
            ...{ amount: '3', amount_decimal: null },
          },
        ],
        ...{ value_usd: '8.00000000', liquidity: null, tick_lower: null, tick_upper: null, final: true },
      },
      {
        ...{ time: '2026-11-21T11:44:50.000Z', network: 'bsc', block_number: '9', tx_hash: hexNumber(9_000, 64) },
        ...{ transaction_index: 0, log_index: 0, kind: 'remove', account: body.data[1].account },
        ...{ protocol: 'seeded', pool: MANAGED },
        tokens: [
          { name: 'BNB', symbol: 'BNB', decimals: '18', address: '', amount: null, amount_decimal: null },
          { ...usdt, amount: null, amount_decimal: null },
        ],
        ...{ value_usd: null, liquidity: `1${'0'.repeat(30)}`, tick_lower: -9, tick_upper: 9, final: true },
      },
    ])
  })

  it.each<[string, (event: SeedLiquidity) => boolean]>([
    ['', () => true],
    [`pool=${PAIR}`, ({ pool }) => pool === PAIR],
    [`pool=${ID}`, ({ pool }) => pool === MANAGED],
    [`account=${OTHER}`, ({ account }) => account === OTHER],
    [`pool=${MANAGED}&account=${LP}`, ({ pool, account }) => pool === MANAGED && account === LP],
    ['kind=remove', ({ isAdded }) => isAdded === false],
    ['min_usd=50.5', ({ usd, block }) => usd !== undefined && block > 50],
    [`from=${NOON - 500}&to=${NOON - 300}`, ({ block }) => block >= 50 && block < 70],
    [
      `account=${LP}&kind=add&min_usd=20&to=${NOON - 100}`,
      (event) =>
        event.account === LP &&
        event.isAdded === true &&
        event.usd !== undefined &&
        event.block >= 20 &&
        event.block < 90,
    ],
  ])('finds the same by pages of any size, forwards and back: %s', async (query, matches) => {
    const expected = blocksWith(matches)
    expect(expected.length).toBeGreaterThan(3)
    for (const limit of [3, 7, 1_000]) {
      const pages: number[][] = []
      let last: { next: string | null; prev: string | null } = { next: '', prev: null }
      while (last.next !== null) {
        const { body } = await api.get(`${PATH}&${query}&limit=${limit}${last.next && `&cursor=${last.next}`}`)
        pages.push(blocksOf(body))
        last = body
      }
      expect(pages.flat()).toEqual(expected)
      for (const page of pages.toReversed().slice(1)) {
        const { body } = await api.get(`${PATH}&${query}&limit=${limit}&cursor=${last.prev}`)
        expect(blocksOf(body)).toEqual(page)
        last = body
      }
    }
    const { body } = await api.get(`${PATH}&${query}&order=asc&limit=1000`)
    expect(blocksOf(body)).toEqual(expected.toReversed())
  })

  it('says which events the chain can still take back', async () => {
    const { body } = await api.get(`${PATH}&limit=1000`)
    expect(
      body.data.every((row: { final: boolean; block_number: string }) => row.final === Number(row.block_number) <= 90),
    ).toBe(true)
  })

  it('refuses unknown pools, networks and kinds', async () => {
    expect((await api.get(`${PATH}&pool=${hexNumber(0x999)}`)).status).toBe(404)
    expect((await api.get('/v1/liquidity_events?network=eth')).status).toBe(404)
    expect((await api.get(`${PATH}&kind=swap`)).body.error).toBe('kind must be given once, as one of add, remove')
    expect((await api.get('/v1/liquidity_events')).status).toBe(400)
  })

  it('is CSV on request', async () => {
    const { text } = await api.get(`${PATH}&limit=1`, { headers: { accept: 'text/csv' } })
    expect(text.split('\r\n')[0]).toBe(
      'time,network,block_number,tx_hash,transaction_index,log_index,kind,account,protocol,pool,tokens,value_usd,' +
        'liquidity,tick_lower,tick_upper,final',
    )
  })
})

describe('/v1/pools/{network}/{address}/liquidity', () => {
  /** The sums of the pool's events, by interval, newest first. */
  function plainIntervals(pool: string, seconds: number) {
    const startOf = ({ time }: SeedLiquidity) => time - ((time - MONDAY) % seconds)
    const starts = [...new Set(EVENTS.filter((event) => event.pool === pool).map(startOf))]
    const e8 = (usd: bigint) => `${usd / 100_000_000n}.${String(usd % 100_000_000n).padStart(8, '0')}`
    return starts.toReversed().map((start) => {
      const own = EVENTS.filter((event) => event.pool === pool && startOf(event) === start)
      const [adds, removes] = [true, false].map((side) => own.filter(({ isAdded }) => isAdded === side))
      const sum = (values: (bigint | undefined)[] = []) =>
        values.includes(undefined) ? null : values.reduce<bigint>((total, value) => total + (value ?? 0n), 0n)
      const less = (a: bigint | null, b: bigint | null) => (a === null || b === null ? null : a - b)
      const text = (value: bigint | null) => (value === null ? null : String(value))
      const [added = null, removed = null] = [adds, removes].map((events) =>
        sum(events?.map(({ usd }) => (usd == null ? undefined : BigInt(usd.replace('.', ''))))),
      )
      const net = less(added, removed)
      return {
        time: new Date(start * 1_000).toISOString(),
        ...{ adds: adds?.length, removes: removes?.length },
        tokens: (pool === PAIR ? [USDT, ODD] : ['', USDT]).map((address, coin) => {
          const [came = null, left = null] = [adds, removes].map((events) =>
            sum(events?.map(({ amounts }) => amounts?.[coin])),
          )
          return { address, added: text(came), removed: text(left), net: text(less(came, left)), held: null }
        }),
        added_usd: added === null ? null : e8(added),
        removed_usd: removed === null ? null : e8(removed),
        net_usd: net === null ? null : net < 0n ? `-${e8(-net)}` : e8(net),
        liquidity_usd: null,
      }
    })
  }

  it.each([
    ['1m', 60],
    ['5m', 300],
    ['1h', 3_600],
    ['1w', 604_800],
  ])('has the sums of the events of each %s', async (interval, seconds) => {
    for (const [pool, address] of [
      [PAIR, PAIR],
      [MANAGED, ID],
    ] as const) {
      const path = `/v1/pools/bsc/${address}/liquidity?interval=${interval}`
      const found = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body } = await api.get(`${path}&limit=7${cursor && `&cursor=${cursor}`}`)
        expect(status).toBe(200)
        found.push(...body.data)
        cursor = body.next
      }
      const lower = found.map(({ tokens, ...row }) => ({
        ...row,
        tokens: tokens.map(({ address, ...flow }: { address: string }) => ({
          ...flow,
          address: address.toLowerCase(),
        })),
      }))
      expect(lower).toEqual(plainIntervals(pool, seconds))
      expect(found.length).toBeGreaterThan(0)
    }
  })

  //   hours before noon   8 ------- 5 --- 4 | 3 --- 2 ----- 1 ----- 0
  //   row of the pool     1         5       |       7   unknown     8
  it.each([
    ['1h', '', ['21T11 8 708', '21T09 7 1807', '21T07 5 1005', '21T06 5 1205']],
    ['1h', `&from=${NOON - 5 * HOUR_S}&to=${NOON - HOUR_S}`, ['21T09 7 1807', '21T07 5 1005']],
    ['1h', `&order=asc&limit=3&from=${NOON - 6 * HOUR_S}`, ['21T06 5 1205', '21T07 5 1005']],
    ['4h', '', ['21T08 8 708', '21T04 5 1005']],
    ['1d', '', ['21T00 8 708']],
    ['1w', '', ['16T00 8 708']],
    ['30m', '', []],
  ])('has what the pool held at the end of each %s%s, from where that is known', async (interval, query, expected) => {
    const { body } = await api.get(`/v1/pools/bsc/${HELD}/liquidity?interval=${interval}${query}`)
    const rows = body.data.map((row: { time: string; tokens: { held: string }[]; liquidity_usd: string }) => {
      const [usdt, wbnb] = row.tokens.map(({ held }) => held)
      expect(HELD_AT.map(([, amounts]) => amounts.join())).toContain([usdt, wbnb].join())
      return `${row.time.slice(8, 13)} ${Number(usdt) / 1e6} ${row.liquidity_usd.replace('.00000000', '')}`
    })
    expect(rows).toEqual(expected)
  })

  it('refuses unknown pools and intervals', async () => {
    expect((await api.get(`/v1/pools/bsc/${hexNumber(0x999)}/liquidity?interval=1h`)).status).toBe(404)
    expect((await api.get(`/v1/pools/bsc/${PAIR}/liquidity?interval=2h`)).status).toBe(400)
  })
})
