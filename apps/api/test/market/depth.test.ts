import { DEPTH_BPS } from '@dexfeed/contract'
import { hexNumber, seedTokens } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'
import { CAKE, LISTED, seedCovered, seedPair, USDT, WBNB } from '../seed-market.ts'

const SIX = hexNumber(0x666)
const POOR = hexNumber(0x667)
const E18 = 10n ** 18n

const POOLS = {
  wbnb: hexNumber(0x9001),
  small: hexNumber(0x9002),
  cake: hexNumber(0x9003),
  six: hexNumber(0x9004),
  dust: hexNumber(0x9005),
}

// bsc: SIX --- USDT === WBNB --- CAKE, all with 0.3 %; two pools of USDT and WBNB, and one of dust with a better price
let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedCovered(owner, { network: 'bsc', wrapped: WBNB, stablecoins: [USDT] }, 3)
      await seedTokens(owner, 'bsc', [
        ...Object.values(LISTED),
        { address: SIX, symbol: 'SIX', name: 'Six', decimals: 6, symbols: ['SIX'] },
        { address: POOR, symbol: 'POOR', name: 'Poor', decimals: 18, symbols: [] },
      ])
      await seedPair(owner, { address: POOLS.wbnb }, [USDT, 600_000n * E18], [WBNB, 1_000n * E18])
      await seedPair(owner, { address: POOLS.small }, [USDT, 60_000n * E18], [WBNB, 100n * E18])
      await seedPair(owner, { address: POOLS.cake }, [CAKE, 200_000n * E18], [WBNB, 1_000n * E18])
      await seedPair(owner, { address: POOLS.six }, [SIX, 10n ** 12n], [USDT, 10n ** 6n * E18])
      await seedPair(owner, { address: POOLS.dust }, [USDT, 602n * 10n ** 15n], [WBNB, 10n ** 15n])
    },
  })
})

interface Level {
  bps: number
  amount_in: string
  amount_out: string
  price: string
  value_usd: string
}

const depthOf = async (query: string) => {
  const { status, body } = await api.get(`/v1/depth?network=bsc&${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const quoted = async (query: string, amount: bigint) =>
  BigInt((await api.get(`/v1/quote?network=bsc&amount_raw=${amount}&${query}`)).body.amount_out)

/** How far an exchange's price is from that of another, in basis points. */
const moved = (kind: 'sell' | 'buy', [a, b]: readonly [bigint, bigint], [x, y]: readonly [bigint, bigint]) => {
  const kept = (Number(y) / Number(x)) * (Number(a) / Number(b))
  return 10_000 * (kind === 'sell' ? 1 - kept : 1 / kept - 1)
}

describe('the depth of a pair', () => {
  it.each([
    ['WBNB', 'USDT', ''],
    ['CAKE', 'SIX', ''],
    ['USDT', 'SIX', '&max_splits=1'],
  ])('of %s against %s is proven by plain quotes', async (token, against, more) => {
    const body = await depthOf(`token=${token}&against=${against}`)
    for (const kind of ['sell', 'buy'] as const) {
      const [sell, buy] = kind === 'sell' ? [token, against] : [against, token]
      const quote = (amount: bigint) => quoted(`sell=${sell}&buy=${buy}${more}`, amount)
      const small = BigInt(body[kind].reference_amount)
      const reference = [small, await quote(small)] as const
      expect(body[kind].levels.map(({ bps }: Level) => bps)).toEqual(DEPTH_BPS)
      for (const { bps, amount_in, amount_out } of body[kind].levels as Level[]) {
        const amount = BigInt(amount_in)
        expect(await quote(amount)).toBe(BigInt(amount_out))
        expect(moved(kind, reference, [amount, BigInt(amount_out)])).toBeLessThanOrEqual(bps)
        const beyond = (amount * 1_001n) / 1_000n
        expect(moved(kind, reference, [beyond, await quote(beyond)])).toBeGreaterThan(bps)
      }
    }
  })

  it('has prices in whole units, values, both tokens and the block', async () => {
    const body = await depthOf('token=WBNB&against=SIX')
    expect(body).toMatchObject({ network: 'bsc', token: { symbol: 'WBNB' }, against: { decimals: '6' }, pool: null })
    expect(body.block.number).toBe('100')
    expect(body.partial).toBeNull()
    const [sold, bought] = [body.sell.levels[2], body.buy.levels[2]] as [Level, Level]
    expect(Number(sold.price)).toBeCloseTo(Number(body.sell.reference_price) * 0.99, 0)
    expect(Number(bought.price)).toBeCloseTo(Number(body.buy.reference_price) * 1.01, 0)
    expect(Number(sold.price)).toBeCloseTo((Number(sold.amount_out) * 1e12) / Number(sold.amount_in), 6)
    expect(Number(body.sell.reference_price)).toBeLessThan(Number(body.buy.reference_price))
    expect(Number(sold.value_usd) / (Number(sold.amount_out) / 1e6)).toBeCloseTo(1, 1)
  })

  it('of the coin is that of its wrapper, and a price tells the same depth for 2 %', async () => {
    const [coin, wrapper] = [await depthOf('token=&against=USDT'), await depthOf(`token=${WBNB}&against=${USDT}`)]
    expect(coin).toEqual({ ...wrapper, token: coin.token })
    expect(coin.token).toMatchObject({ symbol: 'BNB', address: '' })
    const cake = await depthOf('token=CAKE&against=WBNB')
    const [price] = (await api.get('/v1/prices?network=bsc&tokens=CAKE')).body.prices
    const { value_usd: value } = cake.sell.levels[3]
    expect(Number(value) / Number(price.depth_usd)).toBeCloseTo(1, 1)
  })
})

describe('the depth of a pool', () => {
  it('is that of this pool alone, compared with its rate for an infinitely small amount', async () => {
    const body = await depthOf(`token=WBNB&pool=${POOLS.small}`)
    expect(body).toMatchObject({ pool: POOLS.small, against: { symbol: 'USDT' }, partial: null })
    expect(body.sell).toMatchObject({ reference_amount: null, reference_price: '598.2' })
    const paid = (amount: bigint) => (amount * 997n * 60_000n * E18) / (100n * E18 * 1_000n + amount * 997n)
    for (const { bps, amount_in, amount_out } of body.sell.levels as Level[]) {
      const amount = BigInt(amount_in)
      expect(paid(amount)).toBe(BigInt(amount_out))
      const beyond = (amount * 1_001n) / 1_000n
      expect(moved('sell', [10n, 5_982n], [amount, paid(amount)])).toBeLessThanOrEqual(bps)
      expect(moved('sell', [10n, 5_982n], [beyond, paid(beyond)])).toBeGreaterThan(bps)
    }
    const whole = await depthOf('token=WBNB&against=USDT')
    expect(BigInt(whole.sell.levels[4].amount_in)).toBeGreaterThan(10n * BigInt(body.sell.levels[4].amount_in))
  })

  it('of six decimals has amounts in both units', async () => {
    const { buy } = await depthOf(`token=SIX&against=USDT&pool=${POOLS.six}`)
    const [level] = buy.levels
    expect(Number(level.amount_out_decimal)).toBeCloseTo(Number(level.amount_out) / 1e6, 6)
    expect(Number(level.amount_in_decimal)).toBeCloseTo(Number(level.amount_in) / 1e18, 6)
  })
})

it.each([
  ['token=WBNB', 400],
  ['token=WBNB&against=BNB', 400],
  [`token=WBNB&against=${POOR}`, 404],
  [`token=CAKE&pool=${POOLS.wbnb}`, 404],
  [`token=WBNB&against=CAKE&pool=${POOLS.wbnb}`, 404],
  [`token=WBNB&pool=${hexNumber(1)}`, 404],
  ['token=WBNB&against=NOSUCH', 404],
  ['token=WBNB,CAKE&against=USDT', 404],
])('%s gets %i', async (query, status) => {
  const reply = await api.get(`/v1/depth?network=bsc&${query}`)
  expect([reply.status, Object.keys(reply.body)], reply.text).toEqual([status, ['error', 'code']])
})

it('is refused while the state is too old', async () => {
  api.setTime(NOON + 600)
  expect((await api.get('/v1/depth?network=bsc&token=WBNB&against=USDT')).status).toBe(503)
  api.setTime(NOON)
})
