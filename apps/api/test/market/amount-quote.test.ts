import { hexNumber, seedMove, seedTokens } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'
import { CAKE, LISTED, seedCovered, seedPair, USDT, WBNB } from '../seed-market.ts'

const SIX = hexNumber(0x666)
const ZERO = `0x${'0'.repeat(40)}`
const E18 = 10n ** 18n

const WBNB_USDT = hexNumber(0x9001)
const CAKE_WBNB = hexNumber(0x9002)
const SIX_USDT_ID = hexNumber(0x9003n << 100n, 64)
const SIX_USDT = `${hexNumber(0x3a)}${SIX_USDT_ID.slice(2)}` as const

// bsc: SIX === USDT === WBNB === CAKE, all with 0.3 %
let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedCovered(owner, { network: 'bsc', wrapped: WBNB, stablecoins: [USDT] }, 3)
      await seedTokens(owner, 'bsc', [
        ...Object.values(LISTED),
        { address: SIX, symbol: 'SIX', name: 'Six', decimals: 6, symbols: [] },
      ])
      await seedPair(owner, { address: WBNB_USDT }, [USDT, 600_000n * E18], [WBNB, 1_000n * E18])
      await seedPair(owner, { address: CAKE_WBNB }, [CAKE, 200_000n * E18], [WBNB, 1_000n * E18])
      await seedPair(owner, { address: SIX_USDT }, [SIX, 10n ** 12n], [USDT, 10n ** 6n * E18])
      for (const [at, whole] of [true, true, false].entries()) {
        const trade = { network: 'bsc', block: 90 + at, token: SIX, time: NOON - 99 } as const
        await seedMove(owner, { ...trade, trader: hexNumber(at), whole })
      }
    },
  })
})

/** `getAmountOut` of the pair contract with 0.3 %. */
const amountOut = (amount: bigint, reserveIn: bigint, reserveOut: bigint) =>
  (amount * 997n * reserveOut) / (reserveIn * 1000n + amount * 997n)
const quote = (query: string) => api.get(`/v1/quote?network=bsc&${query}`)
const JSON_TYPE = { 'Content-Type': 'application/json' }
const post = (path: string, body: unknown) =>
  api.get(path, { method: 'POST', headers: JSON_TYPE, body: typeof body === 'string' ? body : JSON.stringify(body) })

describe('a quote of an amount', () => {
  it('says amounts, route, prices, fees, values and block', async () => {
    const { status, body, headers } = await quote('sell=WBNB&buy=usdt&amount=10&slippage_bps=50')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=1')
    const bought = amountOut(10n * E18, 1_000n * E18, 600_000n * E18)
    expect(body).toEqual({
      network: 'bsc',
      sell_token: expect.objectContaining({ symbol: 'WBNB' }),
      buy_token: expect.objectContaining({ symbol: 'USDT' }),
      side: 'in',
      amount_in: String(10n * E18),
      amount_in_decimal: '10.000000000000000000',
      amount_out: String(bought),
      amount_out_decimal: `${String(bought).slice(0, 4)}.${String(bought).slice(4)}`,
      min_out: String((bought * 9_950n) / 10_000n),
      max_in: null,
      parts: [
        {
          share: '1.00000000',
          amount_in: String(10n * E18),
          amount_out: String(bought),
          hops: [
            {
              pool: WBNB_USDT,
              protocol: 'seeded',
              token_in: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
              token_out: '0x55d398326f99059fF775485246999027B3197955',
              amount_in: String(10n * E18),
              amount_out: String(bought),
              fee: String((10n * E18 * 3n) / 1_000n),
            },
          ],
        },
      ],
      price: expect.stringMatching(/^592\.\d{15}$/),
      mid_price: '600',
      price_impact: expect.stringMatching(/^0\.012\d{5}$/),
      fees: [
        { token: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', amount: String((E18 * 3n) / 100n), usd: '18.00000000' },
      ],
      fees_usd: '18.00000000',
      amount_in_usd: '6000.00000000',
      amount_out_usd: expect.stringMatching(/^592\d\.\d{8}$/),
      gas_estimate: 120_000,
      gas_usd: null,
      sell_transfers: { proof: 'trusted', moves: 0, short: 0 },
      buy_transfers: { proof: 'trusted', moves: 0, short: 0 },
      flags: [],
      block: { number: '100', hash: expect.stringMatching(/^0x/), time: '2026-11-21T11:59:57.000Z', age_s: 3 },
      partial: null,
    })
  })

  it('goes over several pools, with the limits of the request', async () => {
    const three = await quote(`sell=${SIX}&buy=CAKE&amount=100`)
    expect(three.body.parts[0].hops.map((hop: { pool: string }) => hop.pool)).toEqual([SIX_USDT, WBNB_USDT, CAKE_WBNB])
    expect(three.body.sell_transfers).toEqual({ proof: 'none', moves: 3, short: 1 })
    expect(three.body.flags).toEqual(['unlisted-token', 'unproven'])
    expect((await quote(`sell=${SIX}&buy=CAKE&amount=100&max_hops=2`)).status).toBe(404)
  })

  it('finds the least input for an amount that is bought', async () => {
    const { body } = await quote('sell=WBNB&buy=USDT&amount=5922.948206382367793102&side=out&slippage_bps=1')
    expect(body).toMatchObject({ side: 'out', amount_in: String(10n * E18), min_out: null })
    expect(body.max_in).toBe(String((10n * E18 * 10_001n) / 10_000n))
    expect(body.price_impact).toBe((await quote('sell=WBNB&buy=USDT&amount=10')).body.price_impact)
    expect((await quote('sell=WBNB&buy=USDT&amount=600000&side=out')).status).toBe(404)
  })

  it('uses only pools that the request allows', async () => {
    const query = 'sell=WBNB&buy=USDT&amount=1'
    expect((await quote(`${query}&protocols=seeded`)).status).toBe(200)
    expect((await quote(`${query}&protocols=seeded,none`)).body.error).toContain('protocols[1] is not a name')
    expect((await quote(`${query}&exclude_pools=${CAKE_WBNB.toUpperCase().replace('X', 'x')}`)).status).toBe(200)
    expect((await quote(`${query}&exclude_pools=${CAKE_WBNB},${WBNB_USDT}`)).status).toBe(404)
    const six = `sell=${SIX}&buy=USDT&amount=1.0000000`
    expect((await quote(six)).status).toBe(200)
    expect((await quote(`${six}&exclude_pools=${SIX_USDT_ID}`)).status).toBe(404)
  })

  it('exchanges the coin for its wrapper one for one, whatever the size', async () => {
    const { body } = await quote(`sell=BNB&buy=WBNB&amount_raw=${2n ** 255n}`)
    expect(body).toMatchObject({
      amount_out: String(2n ** 255n),
      parts: [],
      price: '1',
      mid_price: '1',
      gas_estimate: 0,
    })
    expect(body.sell_token.address).toBe('')
    api.setTime(NOON + 5_000)
    expect((await quote('sell=BNB&buy=WBNB&amount=1')).status).toBe(503)
    api.setTime(NOON)
    expect((await quote(`sell=${ZERO}&buy=USDT&amount=1`)).body.sell_token.symbol).toBe('BNB')
    expect((await quote('sell=&buy=USDT&amount=1')).body.sell_token.symbol).toBe('BNB')
  })

  it.each([
    ['sell=WBNB&buy=USDT', 400],
    ['sell=WBNB&buy=USDT&amount=1&amount_raw=1', 400],
    ['sell=WBNB&buy=USDT&amount=0', 400],
    ['sell=WBNB&buy=USDT&amount=-1', 400],
    ['sell=WBNB&buy=USDT&amount=1e18', 400],
    [`sell=${SIX}&buy=USDT&amount=1.0000001`, 400],
    [`sell=WBNB&buy=USDT&amount=${'9'.repeat(78)}`, 400],
    [`sell=WBNB&buy=USDT&amount_raw=${2n ** 256n}`, 400],
    [`sell=WBNB&buy=USDT&amount_raw=${2n ** 256n - 1n}`, 200],
    ['sell=WBNB&buy=USDT&amount_raw=0', 400],
    ['sell=WBNB&buy=USDT&amount_raw=1', 200],
    ['sell=WBNB&buy=USDT&amount=1&amount=1', 400],
    ['sell=WBNB&buy=USDT&amount=1&max_hops=4', 400],
    ['sell=WBNB&buy=USDT&amount=1&max_splits=5', 400],
    ['sell=WBNB&buy=USDT&amount=1&slippage_bps=10000', 400],
    ['sell=WBNB&buy=USDT&amount=1&protocols=', 400],
    ['sell=WBNB&buy=USDT&amount=1&exclude_pools=0x12', 400],
    ['sell=WBNB&buy=USDT&amount=1&slippage=1', 400],
    ['sell=WBNB&buy=WBNB&amount=1', 400],
    ['sell=NONE&buy=WBNB&amount=1', 404],
    ['sell=WBNB&amount=1', 400],
  ])('?%s gets %i', async (query, status) => {
    const reply = await quote(query)
    expect(reply.status, reply.text).toBe(status)
    if (status !== 200) expect(reply.body).toEqual({ error: expect.any(String), code: expect.any(String) })
  })

  it('refuses a network that is not indexed, and one that is not named', async () => {
    const reply = await api.get('/v1/quote?network=eth&sell=ETH&buy=USDT&amount=1')
    expect([reply.status, reply.body.code]).toEqual([404, 'network_not_indexed'])
    expect((await api.get('/v1/quote?sell=WBNB&buy=USDT&amount=1')).status).toBe(400)
  })

  it('never pays more for less, and never better than the price before (property)', async () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 24n })
    await fc.assert(
      fc.asyncProperty(amounts, amounts, async (a, b) => {
        const [small, large] = await Promise.all(
          [a < b ? a : b, a < b ? b : a].map((amount) => quote(`sell=CAKE&buy=USDT&amount_raw=${amount}`)),
        )
        if (small?.status !== 200 || large?.status !== 200) return
        expect(BigInt(small.body.amount_out)).toBeLessThanOrEqual(BigInt(large.body.amount_out))
        for (const { body } of [small, large]) {
          expect(Number(body.price_impact)).toBeGreaterThanOrEqual(0)
          expect(Number(body.price)).toBeLessThanOrEqual(Number(body.mid_price))
          const sum = body.parts.reduce(
            (all: bigint, part: { amount_out: string }) => all + BigInt(part.amount_out),
            0n,
          )
          expect(String(sum)).toBe(body.amount_out)
        }
      }),
      { numRuns: 60 * inject('scale') },
    )
  })
})

describe('many quotes', () => {
  const each = { sell: 'WBNB', buy: 'USDT', amount: '1' }

  it('have one block, and fail one by one', async () => {
    const wrong = [
      { ...each, amount: '1e3' },
      { ...each, extra: '1' },
      {},
      { ...each, sell: 'NONE' },
      { ...each, max_hops: 2 },
    ]
    const { status, body, headers } = await post('/v1/quotes', { network: 'bsc', quotes: [each, ...wrong, each] })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.quotes.map(({ index, status }: { index: number; status: number }) => [index, status])).toEqual([
      [0, 200],
      [1, 400],
      [2, 400],
      [3, 400],
      [4, 404],
      [5, 400],
      [6, 200],
    ])
    expect(body.quotes[0].quote).toEqual((await quote('sell=WBNB&buy=USDT&amount=1')).body)
    expect(body.quotes[2].failure.code).toBe('unknown_parameter')
    expect(body.block).toEqual(body.quotes[6].quote.block)
  })

  it('are at most a hundred, in a JSON object', async () => {
    const many = (count: number) =>
      post('/v1/quotes', { network: 'bsc', quotes: Array.from({ length: count }, () => each) })
    expect((await many(100)).body.quotes).toHaveLength(100)
    expect([(await many(0)).status, (await many(101)).status]).toEqual([400, 400])
    for (const body of [
      '[]',
      'null',
      '1',
      '{"network":"bsc"}',
      '{"network":"bsc","quotes":[1]}',
      '{"quotes":[{}]}',
      '{',
    ]) {
      expect((await post('/v1/quotes', body)).status, body).toBe(400)
    }
    expect((await post('/v1/quotes?network=bsc', { network: 'bsc', quotes: [each] })).status).toBe(400)
    expect((await api.get('/v1/quotes')).status).toBe(405)
    expect((await api.get('/v1/quotes', { method: 'POST', body: '{}' })).status).toBe(415)
  })

  it('are part of a batch, too', async () => {
    const requests = [
      { path: '/v1/quote?network=bsc&sell=WBNB&buy=USDT&amount=1' },
      { path: '/v1/quotes', body: { network: 'bsc', quotes: [each] } },
      { path: '/v1/quotes' },
      { path: '/v1/tokens', body: {} },
      { path: '/v1/quotes', body: { network: 'bsc' } },
    ]
    const { body } = await post('/v1/batch', { requests })
    expect(body.responses.map((response: { status: number }) => response.status)).toEqual([200, 200, 404, 404, 400])
    expect(body.responses[1].body.quotes[0].quote).toEqual(body.responses[0].body)
  })
})

describe('/api/quote', () => {
  it('names route and impact in headers, and refuses an amount', async () => {
    const { headers, body } = await api.get('/api/quote?sellToken=CAKE&buyToken=USDT')
    expect(Object.keys(body.result)).toEqual(['network', 'sell_token', 'buy_token', 'price'])
    expect(headers.get('x-quote-route')).toBe(`${CAKE_WBNB}, ${WBNB_USDT}`)
    const { body: same } = await quote('sell=CAKE&buy=USDT&amount=1')
    expect(headers.get('x-price-impact')).toBe(same.price_impact)
    for (const name of ['amount', 'amount_raw']) {
      const refused = await api.get(`/api/quote?sellToken=CAKE&buyToken=USDT&${name}=2`)
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['error']])
      expect(refused.body.error).toContain('/v1/quote')
    }
    expect((await api.get('/api/quote?sellToken=CAKE&buyToken=USDT&other=2')).status).toBe(200)
  })
})
