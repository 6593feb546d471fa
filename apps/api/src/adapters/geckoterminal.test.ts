import { type Hex, present, significantDecimal, ZERO_ADDRESS } from '@dexfeed/dex'
import { hexNumber, seedCreation } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type ApiFixture, NOON } from '../../test/api-fixture.ts'
import { asciiOf, hostile } from '../../test/contract/made-up-requests.ts'
import { GeckoterminalClient, type Resource } from '../../test/geckoterminal-client.ts'
import { all, DECIMALS, ONE, openWithHops, POOLS, THREE, TRADES, TWO } from '../../test/made-hops.ts'
import { geckoTerminal } from '../compare/sources/geckoterminal.ts'
import { candleText } from './geckoterminal-objects.ts'

const BASE = '/adapters/geckoterminal/api/v2'
const [PAIR, OTHER, SEVERAL] = POOLS
/** ONE is the coin's wrapper, TWO a stablecoin, so these are the base and quote tokens. */
const TOKENS: Record<Hex, readonly [Hex, Hex]> = {
  [PAIR.address]: [ONE, TWO],
  [OTHER.address]: [THREE, ONE],
  [SEVERAL.address]: [ONE, TWO],
}
const WINDOWS = { m5: '5m', h1: '1h', h6: '6h', h24: '24h' } as const

let api: ApiFixture
let client: GeckoterminalClient

beforeAll(async () => {
  api = await openWithHops()
  await api.owner.query(`UPDATE token SET supply = 5 * 10 ^ decimals, supply_time = now()`)
  await seedCreation(api.owner, { network: 'bsc', pool: OTHER.address, block: 9, time: NOON - 500 })
  await api.committed()
  client = new GeckoterminalClient(api.api.url + BASE)
})

/** Returns a / b of two decimals, rounded down to 18 digits. */
function ratio(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return null
  const units = (text: string) => BigInt((text.split('.')[0] ?? '') + (text.split('.')[1] ?? '').padEnd(60, '0'))
  return significantDecimal({ numerator: units(a), denominator: units(b) }, 18)
}

/** Expects at least the first 17 digits of numerator / denominator. */
function expectRatio(text: string, numerator: bigint, denominator: bigint) {
  const [whole = '', fraction = ''] = text.split('.')
  const exact = numerator * 10n ** BigInt(fraction.length)
  const difference = exact - BigInt(whole + fraction) * denominator
  expect((difference < 0n ? -difference : difference) * 10n ** 16n <= exact).toBe(true)
}

async function v1(path: string) {
  const { status, body } = await api.get(path)
  expect(status).toBe(200)
  return body
}

async function expectPool({ id, attributes, relationships }: Resource) {
  const row = await v1(`/v1/pools/bsc/${attributes.address}`)
  const [base, quote] = present(TOKENS[attributes.address as Hex])
  const coin = await v1(`/v1/tokens/bsc/${ONE}`)
  const quoteUsd = ratio(row.price_usd, row.price_quote)
  if (attributes.address !== SEVERAL.address) expect(row.price_usd).not.toBeNull()
  expect(id).toBe(`bsc_${attributes.address}`)
  expect(attributes).toMatchObject({
    base_token_price_usd: row.price_usd,
    base_token_price_quote_token: row.price_quote,
    quote_token_price_base_token: ratio('1', row.price_quote),
    quote_token_price_usd: quoteUsd,
    base_token_price_native_currency: ratio(row.price_usd, coin.price_usd),
    quote_token_price_native_currency: ratio(quoteUsd, coin.price_usd),
    ...{ name: 'T / T', pool_name: 'T / T', pool_fee_percentage: '0.3', reserve_in_usd: row.liquidity_usd },
    pool_created_at: attributes.address === OTHER.address ? '2026-11-21T11:51:40Z' : null,
    fdv_usd: (await v1(`/v1/tokens/bsc/${base}`)).fdv_usd,
  })
  for (const [period, window] of Object.entries(WINDOWS) as [keyof typeof WINDOWS, '5m'][]) {
    const { buys, sells, buyers, sellers, volume_usd } = row.flow[window]
    expect(attributes.transactions[period]).toEqual({ buys, sells, buyers, sellers })
    expect([attributes.volume_usd[period], attributes.price_change_percentage[period]]).toEqual([
      volume_usd,
      row[`price_change_${window}`],
    ])
  }
  for (const period of ['m15', 'm30']) {
    expect([attributes.volume_usd[period], attributes.price_change_percentage[period]]).toEqual([null, null])
    expect(Object.values(attributes.transactions[period])).toEqual([null, null, null, null])
  }
  expect(relationships).toEqual({
    base_token: { data: { id: `bsc_${base}`, type: 'token' } },
    quote_token: { data: { id: `bsc_${quote}`, type: 'token' } },
    network: { data: { id: 'bsc', type: 'network' } },
    dex: { data: { id: row.protocol, type: 'dex' } },
  })
}

const addressesOf = (pools: readonly Resource[]) => pools.map(({ attributes }) => attributes.address)

describe("a client of GeckoTerminal's API", () => {
  it('lists networks and DEXes', async () => {
    const { data, links } = await client.list('/networks', { page: 1 })
    expect(data).toEqual([
      {
        id: 'bsc',
        type: 'network',
        attributes: { name: 'BNB Chain', coingecko_asset_platform_id: 'binance-smart-chain' },
      },
    ])
    expect(links).toMatchObject({ prev: null, next: null })
    const { data: dexes } = await client.list('/networks/bsc/dexes')
    expect(dexes.map(({ id }) => id).sort()).toEqual(['curve', 'sushiswap', 'uniswap-v2'])
  })

  it('lists pools of a network, a DEX and a token, and finds them', async () => {
    const byVolume = (await all(api, '/v1/pools?network=bsc&order_by=volume')) as { address: string }[]
    const expected = byVolume.map(({ address }) => address)
    expect(expected.length).toBe(3)
    for (const path of ['/networks/bsc/pools', '/networks/bsc/trending_pools', '/networks/trending_pools']) {
      const { data } = await client.list(path, { page: 1 })
      expect(addressesOf(data)).toEqual(expected)
      for (const pool of data) await expectPool(pool)
      expect((await client.list(path, { page: 2 })).data).toEqual([])
    }
    for (const path of ['/networks/bsc/new_pools', '/networks/new_pools']) {
      expect(addressesOf((await client.list(path)).data)).toEqual([OTHER.address])
    }
    expect(addressesOf((await client.list('/networks/bsc/dexes/curve/pools')).data)).toEqual([SEVERAL.address])
    const { data } = await client.list(`/networks/bsc/tokens/${TWO}/pools`)
    expect(addressesOf(data).toSorted()).toEqual([PAIR.address, SEVERAL.address])
    for (const { attributes } of data) expect(attributes.token_price_usd).toBe(attributes.quote_token_price_usd)
    const found = await client.list('/search/pools', { query: PAIR.address, network: 'bsc', include: 'base_token' })
    expect(addressesOf(found.data)).toEqual([PAIR.address])
    expect((await client.list('/search/pools', { query: 'T', page: 1 })).data).toHaveLength(3)
    expect((await client.list('/search/pools', { query: '' })).data).toEqual([])
  })

  it('reads pools with what belongs to them', async () => {
    const include = 'base_token,quote_token,dex,network'
    const { data, included = [] } = await client.one(`/networks/bsc/pools/${PAIR.address}`, { include })
    await expectPool(data)
    expect(included.map(({ id, type }) => `${type} ${id}`)).toEqual([
      ...[`token bsc_${ONE}`, `token bsc_${TWO}`, 'dex uniswap-v2', 'network bsc'],
    ])
    expect(included[1]?.attributes).toMatchObject({ address: TWO, symbol: 'T', decimals: 6 })
    const named = [OTHER.address, hexNumber(0x404), PAIR.address].join()
    expect(addressesOf((await client.list(`/networks/bsc/pools/multi/${named}`, { include })).data)).toEqual([
      ...[OTHER.address, PAIR.address],
    ])
    await expect(client.one(`/networks/bsc/pools/${hexNumber(0x404)}`)).rejects.toThrow(/^404 /)
  })

  it('reads tokens and their prices', async () => {
    const { data, included } = await client.one(`/networks/bsc/tokens/${TWO}`, { include: 'top_pools' })
    const row = await v1(`/v1/tokens/bsc/${TWO}`)
    expect(data).toMatchObject({ id: `bsc_${TWO}`, type: 'token' })
    expect(data.attributes).toMatchObject({
      ...{ address: TWO, decimals: 6, total_supply: '5000000', normalized_total_supply: '5' },
      ...{ price_usd: row.price_usd, fdv_usd: row.fdv_usd, total_reserve_in_usd: row.liquidity_usd },
      volume_usd: { h24: row.volume_24h_usd },
    })
    expect(data.relationships?.top_pools.data).toEqual(included?.map(({ id, type }) => ({ id, type })))
    expect(included).toHaveLength(2)
    const unknown = hexNumber(0x404)
    const { data: several } = await client.list(`/networks/bsc/tokens/multi/${[TWO, unknown, ONE].join()}`)
    expect(addressesOf(several)).toEqual([TWO, ONE])
    await expect(client.one(`/networks/bsc/tokens/${unknown}`)).rejects.toThrow(/^404 /)
    const coin = (await v1(`/v1/tokens/bsc/${ONE}`)).price_usd
    expect(await client.tokenPrices('bsc', [ZERO_ADDRESS])).toEqual({ token_prices: { [ZERO_ADDRESS]: coin } })
    expect(await client.tokenPrices('bsc', [TWO, unknown])).toEqual({ token_prices: { [TWO]: row.price_usd } })
    const flags = ['market_cap', '24hr_vol', '24hr_price_change', 'total_reserve_in_usd']
    const query = Object.fromEntries(flags.map((name) => [`include_${name}`, 'true']))
    expect(await client.tokenPrices('bsc', [TWO], query)).toEqual({
      token_prices: { [TWO]: row.price_usd },
      market_cap_usd: { [TWO]: null },
      h24_volume_usd: { [TWO]: row.volume_24h_usd },
      h24_price_change_percentage: { [TWO]: row.price_change_24h },
      total_reserve_in_usd: { [TWO]: row.liquidity_usd },
    })
    const fallback = await client.tokenPrices('bsc', [TWO], { ...query, mcap_fdv_fallback: 'true' })
    expect(fallback.market_cap_usd).toEqual({ [TWO]: row.fdv_usd })
  })

  it.each([
    ['minute', 1, '1m'],
    ['minute', 5, '5m'],
    ['minute', 15, '15m'],
    ['hour', 1, '1h'],
    ['hour', 4, '4h'],
    ['day', 1, '1d'],
  ] as const)('reads the candles of %s %i', async (timeframe, aggregate, interval) => {
    for (const [token, currency, filter] of [
      ['base', 'usd', `token=${ONE}`],
      ['quote', 'usd', `token=${TWO}`],
      [TWO, 'token', `token=${TWO}&currency=quote`],
    ] as const) {
      const path = `/v1/candles?network=bsc&pool=${PAIR.address}&interval=${interval}&${filter}&limit=1000`
      const rows = ((await all(api, path)) as Record<string, string>[])
        .filter(({ close }) => close !== null)
        .map(({ time = '', open, high, low, close, volume_usd }) => [
          ...[Date.parse(time) / 1_000, ...[open, high, low, close, volume_usd].map(Number)],
        ])
      const query = { aggregate, token, currency }
      const { list, meta } = await client.ohlcv(PAIR.address, timeframe, { ...query, limit: 1_000 })
      expect(list).toEqual(rows)
      expect([meta?.base.address, meta?.quote.address]).toEqual([ONE, TWO])
      const [before = 0] = present(rows[1] ?? rows[0])
      const { list: earlier } = await client.ohlcv(PAIR.address, timeframe, {
        ...query,
        before_timestamp: before,
        limit: 2,
      })
      expect(earlier).toEqual(rows.filter(([time = 0]) => time < before).slice(0, 2))
    }
    const filled = await client.ohlcv(PAIR.address, timeframe, { aggregate, include_empty_intervals: 'true', limit: 7 })
    expect(filled.list).toHaveLength(Math.min(7, timeframe === 'day' ? 4 : 7))
  })

  it('reads no volume where the value of no swap is known', async () => {
    const [row] = (await all(api, `/v1/candles?network=bsc&pool=${PAIR.address}&interval=1d`)) as Parameters<
      typeof candleText
    >
    const { time, open, high, low, close, volume_usd } = row
    const prices = [Date.parse(time) / 1_000, open, high, low, close].join()
    expect(candleText({ ...row, swaps: 3, unpriced_swaps: 2 })).toBe(`[${prices},${volume_usd}]`)
    expect(candleText({ ...row, swaps: 3, unpriced_swaps: 3, volume_usd: '0' })).toBe(`[${prices},null]`)
    expect(candleText({ ...row, swaps: 0, unpriced_swaps: 0, volume_usd: '0' })).toBe(`[${prices},0]`)
  })

  it("reads a pool's trades of a day, which are the pool's hops", async () => {
    for (const token of ['base', 'quote', TWO]) {
      const { data } = await client.list(`/networks/bsc/pools/${PAIR.address}/trades`, { token })
      const hops = TRADES.filter(({ timestamp }) => timestamp >= NOON - 86_400).flatMap((trade) =>
        trade.hops.flatMap((hop) => (hop.pool.address === PAIR.address ? [{ trade, hop }] : [])),
      )
      expect(data.length).toBe(hops.length)
      for (const { id, attributes } of data) {
        const found = present(hops.find(({ trade, hop }) => id.includes(`_${trade.txHash}_${hop.logIndex}_`)))
        const { trade, hop } = found
        const unit = (address: Hex) => 10n ** BigInt(DECIMALS[address] ?? 0)
        const isBought = hop.tokenOut === (token === 'base' ? ONE : TWO)
        const amountOf = (text: string, address: Hex) =>
          BigInt(text.replace('.', '')) /
          10n ** BigInt((text.split('.')[1] ?? '').length - Number(DECIMALS[address] ?? 0))
        expect([attributes.from_token_address, attributes.to_token_address]).toEqual([hop.tokenIn, hop.tokenOut])
        expect(amountOf(attributes.from_token_amount, hop.tokenIn)).toBe(hop.amountIn)
        expect(amountOf(attributes.to_token_amount, hop.tokenOut)).toBe(hop.amountOut)
        expect(attributes.kind).toBe(isBought ? 'buy' : 'sell')
        const other = token === 'base' ? TWO : ONE
        const isPaid = hop.tokenIn === other
        const [inOther, ofOther] = isPaid
          ? [attributes.price_to_in_currency_token, attributes.price_from_in_currency_token]
          : [attributes.price_from_in_currency_token, attributes.price_to_in_currency_token]
        const [otherAmount, ownAmount] = isPaid ? [hop.amountIn, hop.amountOut] : [hop.amountOut, hop.amountIn]
        const own = isPaid ? hop.tokenOut : hop.tokenIn
        expect(ofOther).toBe('1')
        expectRatio(inOther, otherAmount * unit(own), ownAmount * unit(other))
        expect([attributes.block_number, attributes.tx_hash]).toEqual([trade.blockNumber, trade.txHash])
        expect(Date.parse(attributes.block_timestamp)).toBe(trade.timestamp * 1_000)
        expect(attributes.tx_from_address).toBe(trade.trader)
      }
      const values = data.flatMap(({ attributes }) => attributes.volume_in_usd ?? []).map(Number)
      const least = present(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)])
      const path = `/networks/bsc/pools/${PAIR.address}/trades`
      const large = await client.list(path, { token, trade_volume_in_usd_greater_than: least })
      expect(large.data.length).toBe(values.filter((value) => value > least).length)
    }
  })

  it("is the project's own reader of GeckoTerminal", async () => {
    const { figures } = geckoTerminal(`${api.api.url}/adapters/geckoterminal`)
    const subject = { pool: PAIR.address, token: ONE } as Parameters<typeof figures>[0]
    const signal = new AbortController().signal
    const found = await figures(subject, { network: 'bsc', day: '2026-11-20', signal } as Parameters<typeof figures>[1])
    const [row] = (await all(
      api,
      `/v1/candles?network=bsc&pool=${PAIR.address}&interval=1d&from=2026-11-20&to=2026-11-21`,
    )) as { close: string; volume_usd: string }[]
    expect([Number(found?.priceUsd), Number(found?.volumeUsd)]).toEqual([Number(row?.close), Number(row?.volume_usd)])
  })

  it('gets errors as GeckoTerminal sends them', async () => {
    for (const [path, status] of [
      ['/networks/eth/pools', 404],
      ['/networks/doge/pools', 400],
      ['/networks/bsc/pools?page=11', 400],
      ['/search/pools?query=%00', 400],
      [`/search/pools?query=${'a'.repeat(129)}`, 400],
      ['/networks/bsc/pools/0x1', 400],
      ['/networks/bsc/dexes/none/pools', 404],
      [`/networks/bsc/tokens/${hexNumber(0x404)}/pools`, 404],
      [`/networks/bsc/pools/${PAIR.address}/ohlcv/week`, 400],
      [`/networks/bsc/pools/${PAIR.address}/ohlcv/hour?aggregate=2`, 400],
      [`/networks/bsc/pools/${PAIR.address}/ohlcv/hour?aggregate=constructor`, 400],
      [`/simple/networks/bsc/token_price/${Array.from({ length: 31 }, (_, n) => hexNumber(n)).join()}`, 400],
      ['/nothing', 404],
    ] as const) {
      const { status: found, body } = await api.get(BASE + path)
      expect([path, found]).toEqual([path, status])
      expect(body).toEqual({ errors: [{ status: String(status), title: expect.any(String) }] })
    }
  })

  it('never gets a 500', async () => {
    const part = fc.oneof(
      fc.constantFrom('networks', 'bsc', 'pools', 'tokens', 'multi', 'ohlcv', 'hour', 'trades', 'dexes', 'search', ONE),
      fc.constantFrom(
        PAIR.address,
        'simple',
        'token_price',
        'new_pools',
        'trending_pools',
        'uniswap-v2',
        `${ONE},${TWO}`,
      ),
      hostile.map(encodeURIComponent),
    )
    const names = ['page', 'include', 'limit', 'aggregate', 'before_timestamp', 'token', 'currency', 'query', 'network']
    const pair = fc.tuple(fc.constantFrom(...names), fc.oneof(fc.constantFrom('1', '10', 'base', 'bsc', TWO), hostile))
    const query = fc
      .array(pair, { maxLength: 3 })
      .map((pairs) => pairs.map(([a, b]) => `${a}=${encodeURIComponent(b)}`))
    const target = fc.tuple(fc.array(part, { minLength: 1, maxLength: 6 }), query)
    await fc.assert(
      fc.asyncProperty(target, async ([parts, pairs]) => {
        const { status } = await api.get(`${BASE}/${asciiOf(parts.join('/'))}?${pairs.join('&')}`)
        expect(status).toBeLessThan(500)
      }),
      { numRuns: 60 * inject('scale'), seed: inject('seed') },
    )
  })
})
