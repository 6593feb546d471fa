import type { Address } from '@dexfeed/dex'
import { hexNumber, seedMove, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'
import { type PairTokens, seedCovered, seedPair, USDT, WBNB } from '../seed-market.ts'

const USDC = '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'
const CHECKSUM = '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c'
const DEEP = hexNumber(0x701)
const FAR = hexNumber(0x702)
const DUSTY = hexNumber(0x703)
const TRADED = hexNumber(0x704)
const NO_DECIMALS = hexNumber(0x705)
const DIFFERENT = hexNumber(0x706)
const ZERO = hexNumber(0)
const E18 = 10n ** 18n
const TRADERS = [1, 2, 3].map((n) => hexNumber(0x800 + n))

// bsc: USDT === WBNB === DEEP --- FAR        DUSTY --- USDT: one honest pool, thirty of dust
//       USDC === WBNB and USDT: 0.5 USD a USDC        DIFFERENT === WBNB
let api: ApiFixture

/** Adds a hop of 11:50 between a token and a stablecoin. */
async function tradedAt(owner: Client, token: Address, usd: bigint): Promise<void> {
  const [key, other] = [token, USDT].map((of) => BigInt.asIntN(64, BigInt(`0x${of.slice(-16)}`)))
  const price = String(usd * 10n ** 24n)
  await owner.query(
    `INSERT INTO token_volume (chain_id, token, minute, part, trades, unpriced, volume_usd)
     VALUES (56, $1, '2026-11-21 11:50+00', 0, 1, 0, 5)`,
    [Buffer.from(token.slice(2), 'hex')],
  )
  await owner.query(
    `INSERT INTO pool_candle (chain_id, pool_key, token0_key, token1_key, minute, part, trades, unpriced, volume_usd,
       open_at, open0, open1)
     VALUES (56, 7, $1, $2, '2026-11-21 11:50+00', 0, 1, 0, 5, 1, $3, 1e24)`,
    [key, other, price],
  )
  await owner.query(
    `INSERT INTO token_flow (chain_id, token_key, hour, pool_key, part, hops, net_usd)
     VALUES (56, $1, '2026-11-21 11:00+00', 7, 0, 1, 5)`,
    [key],
  )
}

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedCovered(owner, { network: 'bsc', wrapped: WBNB, stablecoins: [USDT, USDC] }, 5)
      const token = (address: Address, decimals: number | null = 18) => ({ address, symbol: 'T', name: 'T', decimals })
      await seedTokens(owner, 'bsc', [
        ...([WBNB, USDT, USDC, DEEP, DUSTY, TRADED, DIFFERENT] as const).map((address) => token(address)),
        ...[token(FAR, 6), token(NO_DECIMALS, null)],
      ])
      for (const [at, trader] of TRADERS.entries()) {
        await seedMove(owner, { network: 'bsc', block: 90 + at, token: DEEP, time: NOON - 99, trader })
      }
      const trade = { network: 'bsc', block: 95, token: DUSTY, time: NOON - 99 } as const
      await seedMove(owner, { ...trade, trader: hexNumber(9), whole: false })
      const addPool = (n: number, ...tokens: PairTokens) =>
        seedPair(owner, { address: hexNumber(0x9000 + n) }, ...tokens)
      await addPool(1, [WBNB, 10_000n * E18], [USDT, 6_000_000n * E18])
      await addPool(2, [WBNB, 1_000n * E18], [USDC, 1_200_000n * E18])
      await addPool(3, [DEEP, 200_000n * E18], [WBNB, 1_000n * E18])
      await addPool(4, [FAR, 10n ** 12n], [DEEP, 2_000n * E18])
      await addPool(5, [DUSTY, 1_000n * E18], [USDT, 3_000n * E18])
      for (let n = 0; n < 30; n++) await addPool(100 + n, [DUSTY, 10n ** 9n], [USDT, E18])
      await addPool(6, [NO_DECIMALS, 10n ** 24n], [USDT, 10n ** 24n])
      await addPool(8, [USDC, 2_000_000n * E18], [USDT, 1_000_000n * E18])
      await addPool(7, [DIFFERENT, 10n ** 24n], [WBNB, 10n ** 21n])
      for (const table of ['token_volume', 'pool_candle', 'token_flow']) {
        await owner.query(`CREATE TABLE IF NOT EXISTS ${table}_20261121 PARTITION OF ${table}
          FOR VALUES FROM ('2026-11-21 00:00+00') TO ('2026-11-22 00:00+00')`)
      }
      await tradedAt(owner, TRADED, 2n)
      await tradedAt(owner, DIFFERENT, 3n)
      await tradedAt(owner, DEEP, 3n)
    },
  })
})

const post = (body: unknown) =>
  api.get('/v1/prices', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
const priceOf = async (token: string) => {
  const { body } = await post({ network: 'bsc', tokens: [token] })
  return body.prices[0]
}

describe('the price of a token', () => {
  it('that is an anchor is that of its reference pools', async () => {
    const coin = await priceOf(WBNB)
    expect(coin).toMatchObject({ token: CHECKSUM, source: 'reference', age_s: 5, flags: [] })
    expect(Number(coin.price_usd)).toBeCloseTo(600, 0)
    expect(Number(coin.depth_usd)).toBeGreaterThan(100_000)
    expect(await priceOf(ZERO)).toEqual({ ...coin, token: '' })
    expect((await priceOf(USDC)).flags).toContain('depegged')
    expect(Number((await priceOf(USDC)).price_usd)).toBeCloseTo(0.5, 1)
  })

  it('is what a sale brings, with its route and depth', async () => {
    const price = await priceOf(DEEP)
    expect(price).toMatchObject({
      source: 'market',
      flags: [],
      route: [{ pool: hexNumber(0x9003), token_out: CHECKSUM }],
    })
    // One of it is worth 3 USD; the pool keeps 0.3 %.
    expect(Number(price.price_usd)).toBeCloseTo(3 * 0.997, 2)
    const body = { network: 'bsc', quotes: [{ sell: DEEP, buy: 'USDT', amount: '4000' }] }
    expect(Number(price.depth_usd) / (0.02 * 600_000)).toBeCloseTo(1, 1)
    expect(body.network).toBe('bsc')
  })

  it('goes over one more token, and says that a token has no proof', async () => {
    const price = await priceOf(FAR)
    expect(price.route).toHaveLength(2)
    // A million of six decimals against 2,000 of DEEP.
    expect(Number(price.price_usd)).toBeCloseTo(0.0059, 4)
    expect(price.flags).toEqual(['thin', 'unproven', 'unlisted-route'])
  })

  it('is not set by dust, and says that the token arrived short', async () => {
    const price = await priceOf(DUSTY)
    expect(Number(price.price_usd)).toBeGreaterThan(2.6)
    expect(Number(price.price_usd)).toBeLessThan(3)
    expect(price.flags).toEqual(['thin', 'unproven', 'short'])
  })

  it('is that of trades without a route, and differs from trades visibly', async () => {
    expect(await priceOf(TRADED)).toEqual({
      token: expect.any(String),
      price_usd: '2',
      source: 'trades',
      route: [],
      depth_usd: null,
      age_s: null,
      flags: ['thin', 'unproven', 'unweighted'],
    })
    expect((await priceOf(DIFFERENT)).flags).toContain('differs')
    expect(Number((await priceOf(DIFFERENT)).price_usd)).toBeCloseTo(0.6 * 0.997, 2)
  })

  it('is unknown without decimals, and for a token that is not known', async () => {
    for (const token of [NO_DECIMALS, hexNumber(0xabc)]) {
      expect(await priceOf(token)).toMatchObject({ price_usd: null, source: null, route: [], depth_usd: null })
    }
  })
})

describe('a request of prices', () => {
  it('has them in its order, by GET and POST alike', async () => {
    const tokens = [FAR, WBNB, hexNumber(0xabc), FAR]
    const { body } = await post({ network: 'bsc', tokens })
    const got = await api.get(`/v1/prices?network=bsc&tokens=${tokens.join()}`)
    expect(got.body).toEqual(body)
    expect(body.prices).toHaveLength(4)
    expect(body.prices[0]).toEqual(body.prices[3])
    expect(body.block).toEqual({ number: '100', hash: expect.any(String), time: '2026-11-21T11:59:55.000Z', age_s: 5 })
    const batch = await api.get('/v1/batch', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ requests: [{ path: '/v1/prices', body: { network: 'bsc', tokens } }] }),
    })
    expect(batch.body.responses[0]).toEqual({ status: 200, body })
  })

  it('has a thousand at most', async () => {
    const many = (count: number) =>
      post({ network: 'bsc', tokens: Array.from({ length: count }, (_, n) => hexNumber(n)) })
    expect((await many(1_000)).body.prices).toHaveLength(1_000)
    expect([(await many(0)).status, (await many(1_001)).status]).toEqual([400, 400])
  })

  it.each([
    [{ network: 'bsc', tokens: [WBNB, 'WBNB'] }, 404],
    [{ network: 'bsc', tokens: [WBNB, '0x1'] }, 400],
    [{ network: 'bsc', tokens: [WBNB, 1] }, 400],
    [{ network: 'bsc', tokens: WBNB }, 400],
    [{ network: 'bsc', tokens: [WBNB], more: 1 }, 400],
    [{ tokens: [WBNB] }, 400],
    [{ network: 'x', tokens: [WBNB] }, 400],
    [[], 400],
    [{ network: 'eth', tokens: [WBNB] }, 404],
  ])('%j gets %i', async (body, status) => {
    const reply = await post(body)
    expect(reply.status, reply.text).toBe(status)
    expect(reply.body).toEqual({ error: expect.any(String), code: expect.any(String) })
  })

  it('names the token that is wrong', async () => {
    const errorOf = async (...tokens: string[]) => (await post({ network: 'bsc', tokens })).body.error
    expect(await errorOf(WBNB, WBNB, '0x1')).toContain('tokens[2] is not a valid contract address')
    expect(await errorOf(WBNB, 'x')).toBe(
      'tokens[1]: this symbol is not supported on bsc; use the contract address instead',
    )
    expect((await post({ network: 'bsc', tokens: [WBNB, 7] })).body.error).toContain('tokens[1] must be a text')
    const coins = await api.get('/v1/prices?network=bsc&tokens=')
    expect(coins.body.prices).toMatchObject([{ token: '' }])
    expect((await post({ network: 'bsc', tokens: [''] })).body.prices).toEqual(coins.body.prices)
    expect((await api.get('/v1/prices?network=bsc')).status).toBe(400)
    expect((await api.get(`/v1/prices?network=bsc&tokens=${Array(91).fill(WBNB).join()}`)).status).toBe(400)
  })

  it('gets no price of a state that is too old', async () => {
    api.setTime(NOON + 600)
    expect((await post({ network: 'bsc', tokens: [WBNB] })).status).toBe(503)
    api.setTime(NOON)
  })
})

describe('prices at a past moment', () => {
  const at = (time: string, tokens = [TRADED, ZERO]) => post({ network: 'bsc', tokens, at: time })

  it('are those of the last whole minute before with a trade, and of nothing later', async () => {
    // The trade is in the minute of 11:50.
    const { body, headers } = await at('2026-11-21T11:51:00Z')
    expect(body).toEqual({
      network: 'bsc',
      at: '2026-11-21T11:51:00.000Z',
      block: null,
      prices: [
        {
          token: TRADED,
          price_usd: '2',
          source: 'trades',
          route: [],
          depth_usd: null,
          age_s: 0,
          // The day before is not indexed as a whole.
          flags: ['unweighted'],
        },
        { token: '', price_usd: null, source: null, route: [], depth_usd: null, age_s: null, flags: [] },
      ],
    })
    expect(headers.get('X-Data-Complete')).toBe('true')
    expect((await at('2026-11-21T11:50:59Z')).body.prices[0].price_usd).toBeNull()
    expect((await at('2026-11-21T11:59:30Z')).body.prices[0]).toMatchObject({ price_usd: '2', age_s: 510 })
  })

  it('are the same by GET', async () => {
    const { body } = await api.get(`/v1/prices?network=bsc&tokens=${TRADED}&at=2026-11-21T11:55:00Z`)
    expect(body.prices).toEqual((await at('2026-11-21T11:55:00Z', [TRADED])).body.prices)
  })

  it('are refused for a moment to come, and before the first trade that is kept', async () => {
    expect(await at('2026-11-21T12:00:01Z')).toMatchObject({ status: 400, body: { error: 'at is still to come' } })
    expect(await at('2026-11-19T12:00:00Z')).toMatchObject({ status: 404 })
    expect(await at('yesterday')).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } })
  })
})
