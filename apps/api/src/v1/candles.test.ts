import { CANDLE_INTERVALS } from '@dexfeed/contract'
import { DAY_S, type Hex, HOUR_S } from '@dexfeed/dex'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON } from '../../test/api-fixture.ts'
import {
  all,
  byInterval,
  iso,
  ONE,
  openWithHops,
  type PlainHop,
  POOLS,
  plainHops,
  plainPrice,
  storedCandles,
  THREE,
  TWO,
} from '../../test/made-hops.ts'

const unfilled = <Candle extends object>(candle: Candle) => ({ ...candle, filled: false })

let api: ApiFixture

beforeAll(async () => {
  api = await openWithHops()
})

describe('/v1/candles', () => {
  it.each<[string, string, Hex, { pool: Hex } | { other: Hex } | null]>([
    ['a token', '', ONE, null],
    ['a token without decimals', '', THREE, null],
    ['a token in a pool', `&pool=${POOLS[0].address}`, TWO, { pool: POOLS[0].address }],
    ['a token in a pool of three', `&pool=${POOLS[2].address}`, ONE, { pool: POOLS[2].address }],
    ['a pair', `&against=${THREE}`, ONE, { other: THREE }],
  ])('of %s are as stored, for any interval and in both orders', async (_, filter, token, within) => {
    for (const [name, seconds] of Object.entries(CANDLE_INTERVALS)) {
      if (name === '1m' && filter !== '') continue
      const limit = name === '1m' || name === '5m' ? 1_000 : 50
      const query = `/v1/candles?network=bsc&interval=${name}&token=${token}${filter}&limit=${limit}`
      const expected = (await storedCandles(api, token, seconds, within)).map(unfilled)
      if (seconds === HOUR_S) expect(expected.length).toBeGreaterThan(20)
      expect(await all(api, `${query}&order=asc`)).toEqual(expected)
      expect(await all(api, query)).toEqual(expected.toReversed())
    }
  })

  it('of several tokens are those of each, interval by interval', async () => {
    const tokens = [TWO, ONE, THREE]
    const each = await Promise.all(tokens.map((token) => storedCandles(api, token, HOUR_S)))
    const candles = each.flat().sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    const expected = candles.map(unfilled)
    const query = `/v1/candles?network=bsc&interval=1h&token=${tokens.join()},0x${'e'.repeat(40)}`
    for (const limit of [3, 10, 1_000]) {
      expect(await all(api, `${query}&order=asc&limit=${limit}`)).toEqual(expected)
      expect(await all(api, `${query}&limit=${limit}`)).toEqual(expected.toReversed())
    }
    const { status, body } = await api.get(`${query}&limit=2`)
    expect([status, body.error]).toEqual([400, 'limit must be at least the number of tokens'])
    expect((await api.get(`${query}&limit=3`)).body.data.length).toBeLessThanOrEqual(3)
    expect((await api.get(`${query},${hexNumber(9)}`)).status).toBe(404)
  })

  it('are those that begin within a span', async () => {
    const [from, to] = [NOON - DAY_S + 1, NOON - HOUR_S + 1]
    const span = `from=${iso(from).replace('.000', '')}&to=${iso(to).replace('.000', '')}`
    const found = await all(api, `/v1/candles?network=bsc&interval=1h&token=${ONE}&${span}&order=asc&limit=17`)
    const candles = (await storedCandles(api, ONE, HOUR_S)).filter(({ time }) => time >= iso(from) && time < iso(to))
    const expected = candles.map(unfilled)
    expect(found).toEqual(expected)
    expect(expected.length).toBeGreaterThan(15)
  })

  it('of the coin are those of its wrapper', async () => {
    const of = (query: string) => all(api, `/v1/candles?network=bsc&interval=1d&${query}`)
    expect(await of('token=')).toEqual(await of(`token=${ONE}`))
    expect(await of(`token=${TWO}&against=0x${'e'.repeat(40)}`)).toEqual(await of(`token=${TWO}&against=${ONE}`))
  })

  it('are empty for a known token without trades, and refuse pool and against together', async () => {
    expect(await all(api, `/v1/candles?network=bsc&interval=1d&token=${ONE}&to=2026-01-01`)).toEqual([])
    for (const query of [
      `token=${hexNumber(9)}`,
      `token=${ONE}&against=${hexNumber(9)}`,
      `token=${ONE}&pool=${hexNumber(9)}`,
    ]) {
      const { status, body } = await api.get(`/v1/candles?network=bsc&interval=1d&${query}`)
      expect([status, body]).toEqual([404, { error: expect.stringMatching(/pool/), code: 'not_found' }])
    }
    const both = await api.get(
      `/v1/candles?network=bsc&interval=1d&token=${ONE}&pool=${POOLS[0].address}&against=${TWO}`,
    )
    expect([both.status, both.body.code]).toEqual([400, 'invalid_parameter'])
  })

  it.each(['5m', '30m', '1d'] as const)(
    'are filled with the last close if requested, on pages of any size (%s)',
    async (name) => {
      const seconds = CANDLE_INTERVALS[name]
      for (const [filter, token, within] of [
        [`pool=${POOLS[1].address}`, THREE, { pool: POOLS[1].address }],
        [`token=${ONE}`, ONE, null],
      ] as const) {
        const candles = await storedCandles(api, token, seconds, within)
        const known = new Map(candles.map((candle) => [candle.time, candle]))
        const expected: unknown[] = []
        let close: string | null = null
        const [first] = candles
        for (let time = Date.parse(first?.time ?? '') / 1_000; time <= NOON; time += seconds) {
          const candle = known.get(iso(time))
          if (candle !== undefined && (candle.close !== null || close === null)) {
            expected.push(unfilled(candle))
            close = candle.close
            continue
          }
          if (close === null) continue
          const nothing = {
            ...{ token, time: iso(time), volume_usd: '0.00000000', swaps: 0, unpriced_swaps: 0 },
            ...{ buys: 0, sells: 0, buy_volume_usd: '0.00000000', sell_volume_usd: '0.00000000' },
          }
          const prices = { open: close, high: close, low: close, close, weighted: null }
          expected.push({ ...(candle ?? nothing), ...prices, filled: true })
        }
        const query = `/v1/candles?network=bsc&interval=${name}&${filter}&fill=true`
        expect(await all(api, `${query}&order=asc&limit=1000`)).toEqual(expected)
        expect(await all(api, `${query}&limit=53`)).toEqual(expected.toReversed())
      }
    },
  )

  it('of a pool alone are those of its base token, and in the quote token within what the hops reached', async () => {
    const query = `/v1/candles?network=bsc&interval=1h&order=asc&limit=1000&pool=${POOLS[0].address}`
    expect(await all(api, query)).toEqual(await all(api, `${query}&token=${ONE}`))
    const hops = (await plainHops(api)).filter((hop) => hop.pool === POOLS[0].address && plainPrice(hop, ONE) !== null)
    const rates = (own: readonly PlainHop[]) =>
      own.map(({ tokens, amounts }) => {
        const [base = 1n, quote = 1n] = tokens[0] === ONE ? amounts : amounts.toReversed()
        return (Number(quote) * 1e12) / Number(base)
      })
    const candles = (await all(api, `${query}&currency=quote`)) as Record<string, string | null>[]
    const priced = candles.filter(({ close }) => close !== null)
    expect(priced).toHaveLength(byInterval(hops, HOUR_S).length)
    for (const [time, own] of byInterval(hops, HOUR_S)) {
      const candle = priced.find((each) => each.time === iso(time))
      const [open, high, low, close] = ['open', 'high', 'low', 'close'].map((price) => Number(candle?.[price]))
      const of = rates(own)
      expect([open, close]).toEqual([expect.closeTo(of[0] ?? 0, 9), expect.closeTo(of.at(-1) ?? 0, 9)])
      expect(high).toBeLessThanOrEqual(Math.max(...of) * (1 + 1e-12))
      expect(low).toBeGreaterThanOrEqual(Math.min(...of) * (1 - 1e-12))
    }
    const pair = `/v1/candles?network=bsc&interval=1h&order=asc&limit=1000&token=${THREE}&against=${ONE}&currency=quote`
    expect((await all(api, pair)).length).toBeGreaterThan(0)
  })

  it('say which intervals a page covers', async () => {
    const { headers } = await api.get(`/v1/candles?network=bsc&interval=1h&token=${ONE}&limit=5&to=${iso(NOON)}`)
    expect(headers.get('x-interval-span')).toBe(`${iso(NOON - 5 * HOUR_S)}/${iso(NOON)}`)
  })

  it.each([
    'interval=1d',
    `interval=1d&against=${ONE}`,
    `interval=1d&token=${ONE}&currency=quote`,
    `interval=1d&pool=${POOLS[2].address}&currency=quote`,
    `interval=1d&token=${ONE}&fill=1`,
    `interval=2d&token=${ONE}`,
  ])('?%s is refused', async (query) => {
    const { status, body } = await api.get(`/v1/candles?network=bsc&${query}`)
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
  })
})
