import { HOUR_S } from '@dexfeed/dex'
import { hexNumber, seedCreation } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type ApiFixture, NOON } from '../api-fixture.ts'
import { all, ONE } from '../made-hops.ts'
import { A0, A1, DUST, follow, openFiguredWorld, RANGE } from './figured-world.ts'

let api: ApiFixture

beforeAll(async () => {
  const world = await openFiguredWorld()
  api = world.api
  await follow(world, [401, 409], 1, null)
  const created = [A0, A1, DUST, RANGE].map(({ address }) => address)
  for (const [at, pool] of created.entries()) {
    const time = NOON - (at % 3) * HOUR_S
    await seedCreation(api.owner, { network: 'bsc', pool, block: 300 - (at % 3), time, creator: ONE })
  }
  await api.committed()
  // From here on the market equals the database, so that all pages see the same one.
  await vi.waitFor(async () => {
    expect((await api.get('/v1/pools?min_liquidity=1')).body.data.length).toBeGreaterThan(3)
  }, 30_000)
})

type Flow = Record<string, { swaps: number; volume_usd: string }>
type Row = Record<string, unknown> & { address: string; liquidity_usd: string | null; flow: Flow }
const lower = (value: unknown) => (typeof value === 'string' && value.startsWith('0x') ? value.toLowerCase() : value)

type Page = { data: Row[]; next: string | null; prev: string | null }

/** Returns all pages, there and back. */
async function walk(path: string): Promise<Row[]> {
  const page = async (cursor: string) => (await api.get(`${path}${cursor}`)).body as Page
  const pages = [await page('')]
  for (let last = pages[0]; last?.next; last = pages.at(-1)) pages.push(await page(`&cursor=${last.next}`))
  const back = pages.slice(-1)
  for (let first = back[0]; first?.prev; first = back[0]) back.unshift(await page(`&cursor=${first.prev}`))
  expect(back.flatMap(({ data }) => data)).toEqual(pages.flatMap(({ data }) => data))
  return pages.flatMap(({ data }) => data)
}

const KEYS: Record<string, (row: Row) => bigint | null> = {
  volume: (row) => digits(row.volume_24h_usd),
  liquidity: (row) => digits(row.liquidity_usd),
  price_change: (row) => digits(row.price_change_24h),
  age: (row) => (row.first_seen === null ? null : -BigInt(Date.parse(String(row.first_seen)))),
  swaps: (row) => digits(row.swaps_24h),
  ...Object.fromEntries(
    ['5m', '1h', '6h'].flatMap((age) => [
      [`volume_${age}`, (row: Row) => digits(row.flow[age]?.volume_usd)],
      [`swaps_${age}`, (row: Row) => digits(row.flow[age]?.swaps)],
      [`price_change_${age}`, (row: Row) => digits(row[`price_change_${age}`])],
    ]),
  ),
}
const digits = (text: unknown) => (text === null ? null : BigInt(String(text).replace('.', '')))

/** Unknown comes last; with `descending` first, because the result is then reversed. */
function plainOrder(key: (row: Row) => bigint | null, descending = false) {
  return (a: Row, b: Row) => {
    const [x, y] = [key(a), key(b)]
    if (x === y) return String(lower(a.address)) < String(lower(b.address)) ? -1 : 1
    if (x === null || y === null) return (x === null) === descending ? -1 : 1
    return x < y ? -1 : 1
  }
}

describe.each(['tokens', 'pools'])('/v1/%s', (kind) => {
  it.each(Object.keys(KEYS))('in the order of %s, page by page there and back', async (name) => {
    const rows = (await all(api, `/v1/${kind}?network=bsc`)) as Row[]
    const key = KEYS[name] ?? (() => null)
    expect(rows.length).toBeGreaterThan(3)
    for (const limit of [2, 100]) {
      const list = `/v1/${kind}?limit=${limit}&order_by=${name}`
      expect(await walk(`${list}&order=asc`)).toEqual(rows.toSorted(plainOrder(key)))
      // By default the largest come first.
      expect(await walk(list)).toEqual(rows.toSorted(plainOrder(key, true)).toReversed())
    }
  })

  it('with a minimum of volume and liquidity', async () => {
    const rows = (await all(api, `/v1/${kind}?network=bsc`)) as Row[]
    const [volume, liquidity] = [KEYS.volume, KEYS.liquidity].map((key) => {
      const known = rows.flatMap((row) => key?.(row) ?? []).toSorted((a, b) => (a < b ? -1 : 1))
      return known[Math.floor(known.length * 0.7)] ?? 0n
    }) as [bigint, bigint]
    const text = (e8: bigint) => `${e8 / 10n ** 8n}.${String(e8 % 10n ** 8n).padStart(8, '0')}`
    const isMore = (value: bigint | null | undefined, least: bigint) => value != null && value >= least
    const large = rows.filter((row) => isMore(KEYS.volume?.(row), volume))
    const deep = rows.filter((row) => isMore(KEYS.liquidity?.(row), liquidity))
    expect(large.length).toBeLessThan(rows.length)
    expect(deep.length).toBeLessThan(rows.length)
    expect(await walk(`/v1/${kind}?limit=1&min_volume=${text(volume)}`)).toEqual(large)
    expect(await walk(`/v1/${kind}?limit=1&min_liquidity=${text(liquidity)}`)).toEqual(deep)
    const both = large.filter((row) => deep.includes(row))
    const query = `min_volume=${text(volume)}&min_liquidity=${text(liquidity)}&order_by=liquidity&order=asc`
    expect(await walk(`/v1/${kind}?limit=1&${query}`)).toEqual(
      both.toSorted(plainOrder(KEYS.liquidity ?? (() => null))),
    )
  })

  it('that meet a filter, in order', async () => {
    const filter = kind === 'tokens' ? 'search=t' : `token=${ONE}`
    const rows = (await all(api, `/v1/${kind}?network=bsc&${filter}`)) as Row[]
    const ordered = rows.toSorted(plainOrder(KEYS.liquidity ?? (() => null), true)).toReversed()
    expect(await walk(`/v1/${kind}?limit=1&${filter}&order_by=liquidity`)).toEqual(ordered)
    expect(ordered.length).toBeGreaterThan(2)
  })

  it.each(['order_by=price', 'min_volume=-1', 'min_liquidity=1e3', 'order_by=volume&order_by=age'])(
    'of %s is an invalid request',
    async (query) => {
      const { status, body } = await api.get(`/v1/${kind}?${query}`)
      expect([status, body.code]).toEqual([400, 'invalid_parameter'])
    },
  )
})

it('pools in the order of their creation, and those created at a time or later', async () => {
  const rows = (await all(api, '/v1/pools?network=bsc')) as Row[]
  const created = (row: Row) => (row.created_at === null ? null : BigInt(Date.parse(String(row.created_at))))
  const ordered = rows.toSorted(plainOrder(created, true)).toReversed()
  expect(ordered.slice(0, 4).every((row) => created(row) !== null)).toBe(true)
  expect(ordered.slice(4).every((row) => created(row) === null)).toBe(true)
  expect(await walk('/v1/pools?limit=2&order_by=created')).toEqual(ordered)
  const since = new Date((NOON - HOUR_S) * 1_000).toISOString()
  const late = ordered.filter((row) => String(row.created_at ?? '') >= since)
  expect(late).toHaveLength(3)
  expect(await walk(`/v1/pools?limit=1&order_by=created&created_after=${since}`)).toEqual(late)
  expect(await walk(`/v1/pools?limit=1&created_after=${since}`)).toHaveLength(3)
  for (const query of ['tokens?order_by=created', 'tokens?created_after=2026-11-21', 'pools?created_after=new']) {
    expect((await api.get(`/v1/${query}`)).status).toBe(400)
  }
})

it('of thousands that meet a filter the largest come first, there and back', async () => {
  const list = '/v1/tokens?network=bsc&search=t'
  const volume = KEYS.volume ?? (() => null)
  const rows = (await all(api, list)) as Row[]
  const traded = rows
    .filter((row) => (volume(row) ?? 0n) > 0n)
    .toSorted(plainOrder(volume, true))
    .toReversed()
  expect(traded.length).toBeGreaterThan(1)
  await api.owner.query(
    `INSERT INTO token SELECT 56, decode(lpad(to_hex(n + 16777216), 40, '0'), 'hex'), 'Tea', 'T', 18
     FROM generate_series(1, 5100) AS n`,
  )
  await api.committed()
  const untraded = Array.from({ length: 2_000 }, (_, at) => hexNumber(16_777_216 + 5_100 - at))
  const page = async (query: string) => (await api.get(`${list}&limit=1000&order_by=volume${query}`)).body as Page
  const first = await page('')
  const second = await page(`&cursor=${first.next}`)
  const found = [...first.data, ...second.data]
  expect(found.slice(0, traded.length)).toEqual(traded)
  expect(found.map(({ address }) => lower(address))).toEqual(
    [...traded.map(({ address }) => lower(address)), ...untraded].slice(0, 2_000),
  )
  expect((await page(`&cursor=${second.prev}`)).data).toEqual(first.data)
  expect(await page('&min_volume=0.00000001')).toMatchObject({ data: traded, next: null })
})
