import { CANDLE_INTERVALS } from '@dexfeed/contract'
import { DAY_S, type Hex, HOUR_S } from '@dexfeed/dex'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON } from '../../test/api-fixture.ts'
import {
  all,
  iso,
  ONE,
  openWithHops,
  type PlainHop,
  POOLS,
  plainCandles,
  plainHops,
  sumOf,
  THREE,
  TWO,
} from '../../test/made-hops.ts'

let api: ApiFixture

beforeAll(async () => {
  api = await openWithHops()
})

describe('/v1/candles', () => {
  it.each<[string, string, Hex, (hop: PlainHop) => boolean]>([
    ['a token', '', ONE, () => true],
    ['a token of no decimals', '', THREE, () => true],
    ['a token in a pool', `&pool=${POOLS[0].address}`, TWO, (hop) => hop.pool === POOLS[0].address],
    ['a token in a pool of three', `&pool=${POOLS[2].address}`, ONE, (hop) => hop.pool === POOLS[2].address],
    ['a pair', `&against=${THREE}`, ONE, (hop) => hop.tokens.includes(THREE)],
  ])('of %s are what the rows say, of any interval and both ways', async (_, filter, token, isOf) => {
    const hops = (await plainHops(api)).filter((hop) => hop.tokens.includes(token) && isOf(hop))
    expect(hops.length).toBeGreaterThan(40)
    for (const [name, seconds] of Object.entries(CANDLE_INTERVALS)) {
      if (name === '1m' && filter !== '') continue
      const limit = name === '1m' || name === '5m' ? 1_000 : 17
      const query = `/v1/candles?network=bsc&interval=${name}&token=${token}${filter}&limit=${limit}`
      const expected = plainCandles(hops, token, seconds)
      expect(await all(api, `${query}&order=asc`)).toEqual(expected)
      expect(await all(api, query)).toEqual(expected.toReversed())
    }
  })

  it('are those that begin within a span', async () => {
    const hops = (await plainHops(api)).filter(({ tokens }) => tokens.includes(ONE))
    const [from, to] = [NOON - DAY_S + 1, NOON - HOUR_S + 1]
    const span = `from=${iso(from).replace('.000', '')}&to=${iso(to).replace('.000', '')}`
    const found = await all(api, `/v1/candles?network=bsc&interval=1h&token=${ONE}&${span}&order=asc&limit=17`)
    const expected = plainCandles(hops, ONE, HOUR_S).filter(({ time }) => time >= iso(from) && time < iso(to))
    expect(found).toEqual(expected)
    expect(expected.length).toBeGreaterThan(15)
  })

  it('are none of a token that nobody traded, and of a pool or a pair, not both', async () => {
    expect(await all(api, `/v1/candles?network=bsc&interval=1d&token=${hexNumber(9)}`)).toEqual([])
    const both = await api.get(
      `/v1/candles?network=bsc&interval=1d&token=${ONE}&pool=${POOLS[0].address}&against=${TWO}`,
    )
    expect([both.status, both.body.code]).toEqual([400, 'invalid_parameter'])
  })
})

describe('the last day', () => {
  /** Whole minutes, the one under way included. */
  const isLast = ({ time }: { time: number }) => time >= NOON + 60 - DAY_S
  const lastPrices = (hops: readonly PlainHop[], token: Hex) => {
    const closes = (some: readonly PlainHop[]) => plainCandles(some, token, 60).flatMap(({ close }) => close ?? [])
    const [now, before] = [closes(hops).at(-1), closes(hops.filter((hop) => !isLast(hop))).at(-1)]
    return { priceUsd: now ?? null, changePercent: now && before ? percent(now, before) : null }
  }
  const e42 = (text: string) => {
    const [whole = '0', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(42, '0'))
  }
  const percent = (now: string, before: string) => {
    const change = ((e42(now) - e42(before)) * 1_000_000n) / e42(before)
    const digits = String(change < 0n ? -change : change).padStart(5, '0')
    return `${change < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`
  }

  it('of tokens and pools is what the rows say', async () => {
    const hops = await plainHops(api)
    const tokens = [ONE, TWO, THREE, hexNumber(9)]
    const days = await api.reader.tokenDays('bsc', tokens, NOON)
    for (const [n, token] of tokens.entries()) {
      const own = hops.filter((hop) => hop.tokens.includes(token))
      const last = own.filter(isLast)
      expect(days[n]).toEqual({
        ...{ token, volumeUsd: sumOf(last), trades: last.length, ...lastPrices(own, token) },
        unpriced: last.filter(({ usdE8 }) => usdE8 === null).length,
      })
    }
    const pools = await api.reader.poolDays('bsc', POOLS, NOON)
    for (const [n, { address, token0, token1 }] of POOLS.entries()) {
      const own = hops.filter((hop) => hop.pool === address)
      const last = own.filter(isLast)
      const pair = own.filter(({ tokens: both }) => both.includes(token0) && both.includes(token1))
      expect(pools[n]).toEqual({
        ...{ pool: address, volumeUsd: sumOf(last), trades: last.length },
        unpriced: last.filter(({ usdE8 }) => usdE8 === null).length,
        ...{ token0: lastPrices(pair, token0), token1: lastPrices(pair, token1) },
      })
    }
  })
})
