import { DAY_S, HOUR_S } from '@dexfeed/dex'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ApiFixture } from '../../test/api-fixture.ts'
import {
  all,
  byInterval,
  iso,
  ONE,
  openWithHops,
  type PlainHop,
  POOLS,
  plainHops,
  sumOf,
  THREE,
  TRADES,
} from '../../test/made-hops.ts'

let api: ApiFixture

beforeAll(async () => {
  api = await openWithHops()
})

const UP = 'order=asc&limit=17'

/** The volumes of trades, or of hops with their trades. */
function plainVolumes(rows: readonly { time: number; usdE8: bigint | null; trade: number }[], interval: number) {
  return byInterval(rows, interval).map(([time, own]) => ({
    ...{ time: iso(time), volume_usd: sumOf(own), trades: own.length },
    unpriced_trades: own.filter(({ usdE8 }) => usdE8 === null).length,
    traders: new Set(own.flatMap(({ trade }) => TRADES[trade - 1]?.trader ?? [])).size,
    traders_unknown: null,
  }))
}

async function plainTrades() {
  const { rows } = await api.owner.query(
    `SELECT extract(epoch FROM block_time)::int AS time, block_number::int AS trade, replace(volume_usd::text, '.', '') AS usd FROM swap`,
  )
  return rows.map(({ time, trade, usd }) => ({ time, trade, usdE8: usd === null ? null : BigInt(usd) }))
}

describe('/v1/volume', () => {
  it.each<[string, string, (hop: PlainHop) => boolean]>([
    ['protocol', '&protocol=sushiswap', ({ dex }) => dex === 'sushiswap'],
    ['pool', `&pool=${POOLS[2].address}`, (hop) => hop.pool === POOLS[2].address],
    ['token', `&token=${THREE}`, ({ tokens }) => tokens.includes(THREE)],
  ])('of a %s is the sum over its hops', async (_, filter, isOf) => {
    const hops = (await plainHops(api)).filter(isOf)
    for (const [name, seconds, limit] of [
      ['1h', HOUR_S, 20],
      ['1d', DAY_S, 3],
    ] as const) {
      const expected = plainVolumes(hops, seconds)
      expect(await all(api, `/v1/volume?network=bsc&interval=${name}${filter}&${UP}`)).toEqual(expected)
      expect(await all(api, `/v1/volume?network=bsc&interval=${name}${filter}&limit=${limit}`)).toEqual(
        expected.toReversed(),
      )
    }
  })

  it('of a network is the sum over its trades, and its days equal the seven-day volume', async () => {
    const trades = await plainTrades()
    expect(await all(api, `/v1/volume?network=bsc&interval=1h&${UP}`)).toEqual(plainVolumes(trades, HOUR_S))
    const days = (await all(api, '/v1/volume?network=bsc&interval=1d')) as ReturnType<typeof plainVolumes>
    expect(days).toEqual(plainVolumes(trades, DAY_S).toReversed())
    const { body } = await api.get('/api/trade_volume_usd_7d')
    const served = (body as { date: string; address_count: string; trade_volume_usd: string }[])
      .filter(({ trade_volume_usd }) => trade_volume_usd !== '0.00000000')
      .map((day) => [day.date, day.trade_volume_usd, Number(day.address_count)])
    expect(served).toEqual(days.map(({ time, volume_usd, traders }) => [time.slice(0, 10), volume_usd, traders]))
    expect(served).toHaveLength(4)
  })

  it('of the coin is that of its wrapper, and names what is unknown', async () => {
    const of = (query: string) => `/v1/volume?network=bsc&interval=1d&${query}`
    expect(await all(api, of('token='))).toEqual(await all(api, of(`token=${ONE}`)))
    for (const query of [`token=${hexNumber(9)}`, `pool=${hexNumber(9, 64)}`, 'protocol=uniswapv2']) {
      const { status, body } = await api.get(of(query))
      expect([status, body]).toEqual([404, { error: expect.stringMatching(/pool of bsc/), code: 'not_found' }])
    }
  })

  it('says why the number of traders is unknown', async () => {
    const ask = async (query: string) =>
      (await all(api, `/v1/volume?network=bsc&${query}`)) as ReturnType<typeof plainVolumes>
    const basesOf = (rows: ReturnType<typeof plainVolumes>) => [
      ...new Set(rows.map(({ traders, traders_unknown }) => (traders === null ? traders_unknown : 'known'))),
    ]
    await api.owner.query('UPDATE day_total SET swaps = swaps + 100000')
    expect(basesOf(await ask('interval=1h'))).toEqual(['too-many-trades'])
    expect(basesOf(await ask(`interval=1d&pool=${POOLS[0].address}`))).toEqual(['too-many-trades'])
    expect(basesOf(await ask('interval=1d'))).toEqual(['known'])
    await api.owner.query('UPDATE day_total SET swaps = swaps - 100000')
    await api.owner.query(`INSERT INTO kept_days VALUES (1, '2026-11-20')`)
    expect(basesOf(await ask('interval=1d&protocol=curve'))).toEqual(['known', 'not-kept'])
    await api.owner.query('DELETE FROM kept_days')
  })

  it('takes one filter only', async () => {
    const { status, body } = await api.get(`/v1/volume?network=bsc&interval=1d&pool=${POOLS[0].address}&token=${ONE}`)
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
  })
})
