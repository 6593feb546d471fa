import { lakeClient } from '@dexfeed/api/lake-client'
import { type ApiFixture, openFixture } from '@dexfeed/api/test/api-fixture'
import { createLogger } from '@dexfeed/service'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type LakeRowReads, openLakeReads } from '../src/reading/lake-reads.ts'
import { type RowServer, serveRows } from '../src/reading/serve-rows.ts'
import {
  ANCHOR,
  dropBefore,
  ONE,
  openWorld,
  POOLS,
  startOf,
  TWO,
  tradesOfDays,
  type World,
  writeWorld,
} from './lake-world.ts'

/** A month with `npm run test:long`: to write a day takes a while. */
const DAYS = inject('scale') > 1 ? 30 : 12
const KEPT = 8
const FIRST_KEPT = DAYS - KEPT + 1

const log = createLogger({ name: 'lake', level: 'silent' })
const PLACE = { host: '127.0.0.1', port: 0 }
let world: World
let server: RowServer

beforeAll(async () => {
  world = await openWorld()
  const [trades = []] = fc.sample(tradesOfDays(DAYS, 100, 300), { numRuns: 1, seed: 3 })
  await writeWorld(world, trades, DAYS)
  const reads = openLakeReads(world.objects, { folder: world.lake }, temporaryFolder())
  closeAfter(() => reads.close())
  server = await serveRows({ reads, log, ...PLACE })
  closeAfter(() => server.close())
})

/** An API at the end of the last day, with the lake or without. */
async function openApi(url: string | null): Promise<ApiFixture> {
  const { url: ownerUrl } = world
  const api = await openFixture({ ownerUrl, ...(url !== null && { reading: { lake: lakeClient(url) } }) })
  api.setTime(startOf(DAYS + 1))
  return api
}

const iso = (day: number) => new Date(startOf(day) * 1_000).toISOString()
const MONTH = `from=${iso(1)}&to=${iso(DAYS + 1)}&limit=100`
const CANDLES = [
  ...['1h', '4h', '1d', '1w'].flatMap((interval) =>
    [`token=${ONE}`, `token=${TWO},${ANCHOR}`, `pool=${POOLS[0]?.address}`, `token=${ONE}&against=${ANCHOR}`].map(
      (of) => `/v1/candles?network=bsc&interval=${interval}&${of}`,
    ),
  ),
  `/v1/candles?network=bsc&interval=1d&token=${ONE}&against=${ANCHOR}&currency=quote`,
  `/v1/candles?network=bsc&interval=4h&token=${ONE}&fill=true`,
  `/v1/candles?network=bsc&interval=1h&token=${TWO}&order=asc&format=csv`,
]

const VOLUMES = [
  ...['', `&token=${ONE}`, `&pool=${POOLS[0]?.address}`, '&protocol=uniswap-v2'].map(
    (of) => `/v1/volume?network=bsc&interval=1h${of}`,
  ),
  `/v1/volume?network=bsc&interval=1d&token=${TWO}&order=asc`,
]

/** Answers of all pages, with what is in their headers beside the days of the lake. */
async function answers({ get }: ApiFixture, paths: readonly string[]): Promise<string[][]> {
  const found: string[][] = []
  for (const path of paths) {
    for (let next: string | undefined = `${path}&${MONTH}`; next !== undefined; ) {
      const { status, text, headers } = await get(next)
      const named = ['ETag', 'Link', 'X-Indexed-Block', 'X-Interval-Span'].map((name) => String(headers.get(name)))
      found.push([next, String(status), text, ...named])
      next = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
    }
  }
  return found
}

const SPAN = `from=${iso(1)}&to=${iso(DAYS + 1)}`
const TRADES = [
  `/v1/swaps?limit=9&${SPAN}`,
  `/v1/swaps?network=bsc&order=asc&limit=25&token=${ANCHOR}&${SPAN}`,
  `/v1/pools/bsc/${POOLS[0]?.address}/trades?limit=10&${SPAN}`,
]

/** The rows of all pages of trades; these may be shorter in the lake. */
async function trades({ get }: ApiFixture): Promise<string[][]> {
  const found: string[][] = []
  for (const path of TRADES) {
    const rows: string[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const { status, body, headers } = await get(next)
      if (status !== 200) throw new Error(body.error)
      rows.push(...body.data.map((row: unknown) => JSON.stringify(row)))
      next = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
    }
    found.push(rows)
  }
  return found
}

describe('with 8 kept days and a lake', () => {
  let stored: string[][]
  let allTrades: string[][]

  beforeAll(async () => {
    const api = await openApi(null)
    stored = await answers(api, [...CANDLES, ...VOLUMES])
    allTrades = await trades(api)
    await dropBefore(world, FIRST_KEPT)
  })

  it('trades of all days are those with all days kept, byte for byte', async () => {
    expect(Math.min(...allTrades.map(({ length }) => length))).toBeGreaterThan(20)
    expect(await trades(await openApi(server.url))).toEqual(allTrades)
    expect(await trades(await openApi(null))).not.toEqual(allTrades)
  })

  it('a transaction of an old day is found by its hash', async () => {
    const oldest = JSON.parse(allTrades[0]?.at(-1) ?? '')
    const path = `/v1/swaps?network=bsc&tx_hash=${oldest.tx_hash}`
    const { get } = await openApi(server.url)
    const { body, headers } = await get(path)
    expect(body.data).toMatchObject([{ sell_token: oldest.sell_token, trade_volume_usd: oldest.trade_volume_usd }])
    const date = iso(1).slice(0, 10)
    expect(headers.get('X-Lake-Days')).toBe(`${date}/${iso(FIRST_KEPT - 1).slice(0, 10)}`)
    expect((await get(`/v1/transactions/bsc/${oldest.tx_hash}`)).status).toBe(404)
  })

  it('candles and volumes of all days are those with all days kept, byte for byte', async () => {
    expect(stored.length).toBeGreaterThan(CANDLES.length + VOLUMES.length)
    expect(stored.every(([, status]) => status === '200')).toBe(true)
    expect(await answers(await openApi(server.url), [...CANDLES, ...VOLUMES])).toEqual(stored)
    expect(await answers(await openApi(null), CANDLES)).not.toEqual(stored.slice(0, CANDLES.length))
  })

  it('a header names the days of the lake', async () => {
    const { get } = await openApi(server.url)
    const daysIn = async (path: string) => (await get(path)).headers.get('X-Lake-Days')
    const daysOf = (query: string) => daysIn(`/v1/candles?network=bsc&interval=1d&token=${ONE}&${query}`)
    const date = (day: number) => iso(day).slice(0, 10)
    expect(await daysOf('')).toBe(`${date(1)}/${date(FIRST_KEPT - 1)}`)
    // Weights follow from the day before.
    expect(await daysOf(`from=${iso(2)}&to=${iso(4)}`)).toBe(`${date(1)}/${date(3)}`)
    expect(await daysOf(`from=${iso(FIRST_KEPT)}`)).toBe(`${date(FIRST_KEPT - 1)}/${date(FIRST_KEPT - 1)}`)
    expect(await daysOf('limit=3')).toBe(null)
    expect(await daysIn(`/v1/volume?network=bsc&interval=1d&token=${ONE}`)).toBe(`${date(1)}/${date(FIRST_KEPT - 1)}`)
    expect(await daysIn('/v1/volume?network=bsc&interval=1d')).toBe(null)
  })

  it('an answer that needs too much of the lake is refused for good', async () => {
    const path = `/v1/candles?network=bsc&interval=1h&token=${ONE}&from=${iso(2)}&to=${iso(3)}`
    async function* each() {
      for (;;) yield { pool: '1'.repeat(1_000_000), hour: 0, net: '0' }
    }
    const large = await serveRows({ reads: { each: each as LakeRowReads['each'] }, log, ...PLACE })
    closeAfter(() => large.close())
    const { status, headers, body } = await (await openApi(large.url)).get(path)
    const error = 'the days asked for hold too much: ask for less time'
    expect([status, headers.get('Retry-After'), body]).toEqual([400, null, { error, code: 'invalid_parameter' }])
    const sides = Array(8_000).fill({ pool: '-1234567890123456789', from: startOf(2), to: startOf(3) })
    const span = { network: 'bsc', from: startOf(2), to: startOf(3), firstDay: 1, versions: [1] } as const
    const request = lakeClient(server.url).rows({ kind: 'lastPrices', ...span, of: { token: ONE, sides } })
    await expect(request).rejects.toThrow('the days asked for hold too much')
  })

  it('an answer that needs old days is refused while the lake does not answer, and others are not', async () => {
    const { get } = await openApi('http://127.0.0.1:1')
    const path = `/v1/candles?network=bsc&interval=1h&token=${ONE}`
    const { status, headers, body } = await get(`${path}&from=${iso(2)}&to=${iso(3)}`)
    expect([status, headers.get('Retry-After')]).toEqual([503, '5'])
    expect(body.error).toBe('days that only the lake has are not available now')
    expect((await get(`${path}&from=${iso(FIRST_KEPT + 1)}`)).status).toBe(200)
    const volume = `/v1/volume?network=bsc&interval=1h&token=${ONE}`
    expect((await get(`${volume}&to=${iso(3)}`)).status).toBe(503)
    expect((await get(`${volume}&from=${iso(FIRST_KEPT)}`)).status).toBe(200)
    expect((await get(`/v1/swaps?to=${iso(FIRST_KEPT)}`)).status).toBe(503)
    expect((await get('/v1/swaps?limit=5')).status).toBe(200)
  })
})
