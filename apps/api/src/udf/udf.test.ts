import { CANDLE_INTERVALS, UDF_RESOLUTIONS } from '@dexfeed/contract'
import { HOUR_S } from '@dexfeed/dex'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON } from '../../test/api-fixture.ts'
import { all, ONE, openWithHops, POOLS } from '../../test/made-hops.ts'
import { UdfClient } from '../../test/udf-client.ts'
import { decimalsOf } from './udf-symbols.ts'

const POOL = POOLS[0].address
const SYMBOLS = [
  [`bsc:token:${ONE}`, `token=${ONE}`],
  [`bsc:pool:${POOL}`, `pool=${POOL}`],
  [`bsc:pool:${POOL}:quote`, `pool=${POOL}&currency=quote`],
] as const

let api: ApiFixture
let client: UdfClient

beforeAll(async () => {
  api = await openWithHops()
  client = new UdfClient(`${api.api.url}/udf`)
})

interface Candle {
  time: string
  open: string
  high: string
  low: string
  close: string | null
  volume_usd: string
}

async function expectedBars(query: string, interval: string) {
  const candles = (await all(
    api,
    `/v1/candles?network=bsc&${query}&interval=${interval}&fill=true&order=asc&limit=1000`,
  )) as Candle[]
  return candles
    .filter(({ close }) => close !== null)
    .map(({ time, open, high, low, close, volume_usd }) => ({
      ...{ time: Date.parse(time) / 1_000, open: Number(open), high: Number(high), low: Number(low) },
      ...{ close: Number(close), volume: Number(volume_usd) },
    }))
}

describe("a client of TradingView's protocol", () => {
  it('learns what the feed supports, and its time', async () => {
    const { supported_resolutions, supports_search, exchanges } = await client.onReady()
    expect(supported_resolutions).toEqual(['1', '5', '15', '30', '60', '240', '1D', '1W'])
    expect([supports_search, exchanges.map(({ value }) => value)]).toEqual([true, ['', 'bsc']])
    expect(await client.getServerTime()).toBe(NOON)
  })

  it('finds symbols and resolves them', async () => {
    const found = await client.searchSymbols('T', 'bsc', '')
    expect(found.map(({ type }) => type)).toEqual(expect.arrayContaining(['token', 'pool']))
    const pools = await client.searchSymbols('T', '', 'pool')
    expect(pools.every(({ type, exchange }) => type === 'pool' && exchange === 'bsc')).toBe(true)
    expect(await client.searchSymbols('', '', '')).toEqual([])
    for (const { ticker, symbol } of found) {
      const info = await client.resolveSymbol(ticker)
      expect(info).toMatchObject({
        ticker,
        name: symbol,
        minmov: 1,
        session: '24x7',
        timezone: 'Etc/UTC',
        currency_code: 'USD',
      })
      expect(Number.isInteger(Math.log10(info.pricescale))).toBe(true)
    }
    await expect(client.resolveSymbol(`bsc:token:${hexNumber(0x404)}`)).rejects.toThrow('unknown_symbol')
    expect(await client.resolveSymbol(`BSC:POOL:${POOL.toUpperCase()}`)).toMatchObject({ ticker: `bsc:pool:${POOL}` })
    await expect(client.resolveSymbol('AAPL')).rejects.toThrow('unknown_symbol')
  })

  it.each(SYMBOLS)('reads the bars of %s by count, back to the first one', async (ticker, query) => {
    for (const [resolution, interval] of Object.entries(UDF_RESOLUTIONS)) {
      if (interval === '1m') continue
      const seconds = CANDLE_INTERVALS[interval]
      const expected = await expectedBars(query, interval)
      expect(expected.length).toBeGreaterThan(0)
      const [count, until] = [interval === '5m' ? 300 : 20, NOON + seconds]
      expect(await client.allBars(ticker, resolution, seconds, until, count)).toEqual(expected)
      const { bars } = await client.getBars(ticker, resolution, { from: 0, to: until, countBack: 7 })
      expect(bars).toEqual(expected.slice(-7))
    }
  })

  it('reads the bars of a span, and those of more than a page', async () => {
    const [ticker, query] = SYMBOLS[1]
    const [from, to] = [NOON - 30 * HOUR_S, NOON - 5 * HOUR_S]
    const expected = (await expectedBars(query, '1h')).filter(({ time }) => time >= from && time < to)
    expect((await client.getBars(ticker, '60', { from, to })).bars).toEqual(expected)
    const minutes = await expectedBars(query, '1m')
    const { bars } = await client.getBars(ticker, '1', { from: 0, to: NOON + 60, countBack: 2_500 })
    expect(bars).toEqual(minutes.slice(-2_500))
    expect(await client.getBars(ticker, 'D', { from: 0, to: 1 })).toEqual({ bars: [], noData: true })
  })

  it.each([
    ['symbol=AAPL&resolution=60&from=0&to=1', 400],
    [`symbol=bsc:pool:${POOL}&resolution=7&from=0&to=1`, 400],
    [`symbol=bsc:pool:${POOL}&resolution=60&to=1`, 400],
    [`symbol=bsc:pool:${hexNumber(0x404)}&resolution=60&from=0&to=${NOON}`, 404],
    [`symbol=eth:token:${ONE}&resolution=60&from=0&to=${NOON}`, 404],
  ])('is told what is wrong with ?%s', async (query, status) => {
    const response = await api.get(`/udf/history?${query}`)
    expect(response.status).toBe(status)
    expect(response.body).toEqual({ s: 'error', errmsg: expect.any(String), error: response.body.errmsg })
  })
})

it.each([
  [null, 8],
  ['612.33', 3],
  ['97123.5', 2],
  ['1.00012', 5],
  ['0.5', 6],
  ['0.00001234', 10],
  ['0.0000000000000001234', 15],
])('a price of %s has %i decimals', (price, decimals) => {
  expect(decimalsOf(price)).toBe(decimals)
})
