import type { NetworkName } from '@dexfeed/dex'
import { hexNumber, seedMove, seedNetwork, seedPool, seedState, seedTick, seedTokens } from '@dexfeed/test-setup/seed'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { QuoteDesk } from '../../src/quote/quote-desk.ts'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'

const WBNB = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
const USDT = '0x55d398326f99059ff775485246999027b3197955'
const CAKE = '0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82'
const SHIB = hexNumber(0x5417)
const LONELY = hexNumber(0x1017)
const NO_DECIMALS = hexNumber(0xdec)
const WPOL = '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270'
const E18 = 10n ** 18n
const EEEE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const ZERO = `0x${'0'.repeat(40)}`

const WBNB_USDT = hexNumber(0x9001)
const CAKE_WBNB = hexNumber(0x9002)
const SHIB_WBNB = hexNumber(0x9003)
const CAKE_USDT_V3 = hexNumber(0x9004)

// bsc:  USDT === WBNB === CAKE   (V2, 0.3 %)        polygon: wrapped coin alone
//        '---- V3, no liquidity ----'
//                 WBNB === SHIB (V2)
let api: ApiFixture

const chain = (network: 'bsc' | 'polygon', wrapped: `0x${string}`) =>
  ({
    network,
    wrapped,
    start: { number: 1, time: NOON - 86_400 },
    head: { number: 100, time: NOON },
    covered: [[1, 100, NOON - 86_400, NOON]],
  }) as const

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedNetwork(owner, chain('bsc', WBNB))
      await seedNetwork(owner, chain('polygon', WPOL))
      await seedTokens(owner, 'bsc', [
        { address: WBNB, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18, symbols: ['WBNB'] },
        { address: USDT, symbol: 'USDT', name: 'Tether USD', decimals: 18, symbols: ['USDT'] },
        { address: CAKE, symbol: 'Cake', name: 'PancakeSwap Token', decimals: 18, symbols: ['CAKE', 'TWICE'] },
        { address: SHIB, symbol: 'SHIB', name: 'Shiba', decimals: 8, symbols: ['SHIB', 'TWICE'] },
        { address: LONELY, symbol: 'USDT', name: 'false Tether', decimals: 18 },
        { address: NO_DECIMALS, symbol: 'ND', name: 'no decimals', decimals: null },
      ])
      await seedTokens(owner, 'polygon', [
        { address: WPOL, symbol: 'WPOL', name: 'Wrapped POL', decimals: 18, symbols: ['WPOL', 'WMATIC'] },
      ])
      await seedPool(owner, { network: 'bsc', address: WBNB_USDT, token0: USDT, token1: WBNB })
      await seedPool(owner, { network: 'bsc', address: CAKE_WBNB, token0: CAKE, token1: WBNB })
      await seedPool(owner, { network: 'bsc', address: SHIB_WBNB, token0: SHIB, token1: WBNB })
      await seedPool(owner, {
        network: 'bsc',
        address: CAKE_USDT_V3,
        token0: CAKE,
        token1: USDT,
        fee: 500,
        tickSpacing: 10,
      })
    },
  })
})

beforeEach(async () => {
  await reserves(WBNB_USDT, 600_000n * E18, 1_000n * E18, 100)
  await reserves(CAKE_WBNB, 200_000n * E18, 1_000n * E18, 100)
  await reserves(SHIB_WBNB, 10n ** 30n, 1_000n * E18, 100)
  await seen()
})

async function reserves(pool: `0x${string}`, reserve0: bigint, reserve1: bigint, block: number): Promise<void> {
  await seedState(api.owner, { network: 'bsc', pool, block, state: { kind: 'pair', reserve0, reserve1 } })
}

/** Notifies the API of the written rows, and waits until it has them. */
async function seen(network: NetworkName = 'bsc'): Promise<void> {
  await api.owner.query(`SELECT pg_notify('dexfeed', $1)`, [network])
  const { rows } = await api.owner.query('SELECT revision::int, reorgs::int FROM network WHERE name = $1', [network])
  await expect.poll(() => api.api.feed.market(network)?.network).toMatchObject(rows[0])
}

const quote = (sell: string, buy: string, network?: string) =>
  api.get(`/api/quote?sellToken=${sell}&buyToken=${buy}${network === undefined ? '' : `&network=${network}`}`)
const priceOf = async (sell: string, buy: string) => (await quote(sell, buy)).body.result?.price

/** `getAmountOut` of the pair contract with 0.3 %. */
const amountOut = (amount: bigint, reserveIn: bigint, reserveOut: bigint) =>
  (amount * 997n * reserveOut) / (reserveIn * 1000n + amount * 997n)
const decimal = (amount: bigint, decimals = 18) => {
  const text = amount.toString().padStart(decimals + 1, '0')
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`.replace(/\.?0+$/, '')
}

describe('a quote that an unread pool might improve', () => {
  const UNREAD = hexNumber(0xdead)
  const partial = async (sell: string, buy: string) => (await quote(sell, buy)).headers.get('x-quote-partial')

  it('says so, on a 404 too, until that pool is read', async () => {
    expect(await partial('WBNB', 'USDT')).toBeNull()
    await seedPool(api.owner, { network: 'bsc', address: UNREAD, token0: CAKE, token1: USDT })
    const key = [56, Buffer.from(UNREAD.slice(2), 'hex')]
    await api.owner.query('INSERT INTO unread_pool VALUES ($1, $2, NULL)', key)
    await api.committed()
    await expect.poll(() => partial('CAKE', 'USDT')).toBe('true')
    expect(await partial('SHIB', 'WBNB')).toBeNull()
    const unknown = await quote(LONELY, 'WBNB')
    expect([unknown.status, unknown.headers.get('x-quote-partial')]).toEqual([404, null])
    await api.owner.query('UPDATE pool SET token1 = $3 WHERE chain_id = $1 AND address = $2', [
      ...key,
      Buffer.from(LONELY.slice(2), 'hex'),
    ])
    await api.committed()
    await expect.poll(() => partial(LONELY, 'CAKE')).toBe('true')
    expect((await quote(LONELY, 'CAKE')).status).toBe(404)
    await api.owner.query('DELETE FROM unread_pool')
    await api.committed()
    await expect.poll(() => partial(LONELY, 'CAKE')).toBeNull()
    await api.owner.query('DELETE FROM pool WHERE chain_id = $1 AND address = $2', key)
  })
})

describe('a pool with an invalidated state', () => {
  const key = [56, Buffer.from(CAKE_WBNB.slice(2), 'hex')]

  it('is not quoted, and the quote says so, until its state is read again', async () => {
    expect((await quote('CAKE', 'WBNB')).status).toBe(200)
    await api.owner.query('INSERT INTO invalidated_pool VALUES ($1, $2, 100)', key)
    await reserves(CAKE_WBNB, 200_000n * E18, 999n * E18, 101)
    await seen()
    expect((await quote('CAKE', 'WBNB')).status).toBe(404)
    const partial = async () => (await quote('CAKE', 'WBNB')).headers.get('x-quote-partial')
    await expect.poll(partial).toBe('true')
    // A market that is loaded again leaves the pool out, too.
    await api.owner.query('UPDATE network SET reorgs = reorgs + 1')
    await seen()
    expect((await quote('CAKE', 'WBNB')).status).toBe(404)
    await api.owner.query('DELETE FROM invalidated_pool')
    await reserves(CAKE_WBNB, 200_000n * E18, 2_000n * E18, 102)
    await seen()
    const bought = amountOut(E18, 200_000n * E18, 2_000n * E18)
    expect(await priceOf('CAKE', 'WBNB')).toBe(decimal(bought))
    await api.owner.query('DELETE FROM pool_state WHERE block_number > 100')
  })
})

describe('quote', () => {
  it('returns what exactly one token buys, with both tokens as the contract says', async () => {
    const { status, body, headers } = await quote('WBNB', 'USDT', 'bsc')
    expect(status).toBe(200)
    expect(body).toEqual({
      result: {
        network: 'bsc',
        sell_token: {
          name: 'Wrapped BNB',
          symbol: 'WBNB',
          decimals: '18',
          address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
        },
        buy_token: {
          name: 'Tether USD',
          symbol: 'USDT',
          decimals: '18',
          address: '0x55d398326f99059fF775485246999027B3197955',
        },
        price: decimal(amountOut(E18, 1_000n * E18, 600_000n * E18)),
      },
    })
    expect(headers.get('x-price-basis')).toBe('exact')
    expect(headers.get('x-indexed-block')).toBe('bsc=100')
    expect(headers.get('cache-control')).toBe('public, max-age=1')
    expect(headers.get('etag')).not.toBeNull()
  })

  it('is kept when it is requested again, unless it is long', async () => {
    const computed = vi.spyOn(QuoteDesk.prototype, 'inTurn')
    onTestFinished(() => computed.mockRestore())
    for (const [others, count] of [
      ['short', 2],
      ['x'.repeat(1_000), 4],
    ] as const) {
      computed.mockClear()
      const path = `/api/quote?sellToken=WBNB&buyToken=USDT&others=${others}`
      for (let request = 0; request < 4; request++) expect((await api.get(path)).status).toBe(200)
      expect(computed).toHaveBeenCalledTimes(count)
    }
  })

  it('uses bsc without a network', async () => {
    expect((await quote('WBNB', 'USDT')).body.result.network).toBe('bsc')
  })

  it('goes through several pools', async () => {
    const bnb = amountOut(E18, 200_000n * E18, 1_000n * E18)
    expect(await priceOf('CAKE', 'USDT')).toBe(decimal(amountOut(bnb, 1_000n * E18, 600_000n * E18)))
  })

  it('goes through concentrated liquidity while that is better', async () => {
    const before = await priceOf('CAKE', 'USDT')
    const liquidity = 10n ** 24n
    // Price 4 USDT a CAKE, liquidity between the ticks 0 and 27,720 (prices 1 to 16).
    const state = { kind: 'concentrated', sqrtPriceX96: 2n ** 97n, tick: 13_863, liquidity } as const
    await seedState(api.owner, { network: 'bsc', pool: CAKE_USDT_V3, block: 101, state })
    const at = { network: 'bsc', pool: CAKE_USDT_V3, block: 101 } as const
    await seedTick(api.owner, { ...at, tick: 0, gross: liquidity, net: liquidity })
    await seedTick(api.owner, { ...at, tick: 27_720, gross: liquidity, net: -liquidity })
    await seen()
    expect(Number(await priceOf('CAKE', 'USDT'))).toBeCloseTo(3.998, 2)
    await seedTick(api.owner, { ...at, block: 102, tick: 0, gross: 0n, net: 0n })
    await seedTick(api.owner, { ...at, block: 102, tick: 27_720, gross: 0n, net: 0n })
    await api.owner.query('UPDATE network SET revision = revision + 1')
    await api.owner.query(
      'UPDATE pool_tick SET revision = (SELECT revision FROM network WHERE chain_id = 56) WHERE block_number = 102',
    )
    await seedState(api.owner, { ...at, block: 102, state: { ...state, liquidity: 0n } })
    await seen()
    expect(await priceOf('CAKE', 'USDT')).toBe(before)
  })

  it('gives the marginal rate if one token buys next to nothing', async () => {
    // 1 SHIB (8 decimals) of 10^22 for 1,000 WBNB of 18 decimals: 10^-1 wei.
    const { body, headers } = await quote('SHIB', 'WBNB')
    expect(headers.get('x-price-basis')).toBe('marginal')
    expect(body.result.price).toBe('0.0000000000000000000997')
  })

  it('follows a new state within the same second', async () => {
    await reserves(WBNB_USDT, 700_000n * E18, 1_000n * E18, 101)
    await seen()
    expect(await priceOf('WBNB', 'USDT')).toBe(decimal(amountOut(E18, 1_000n * E18, 700_000n * E18)))
  })

  it('follows a rollback', async () => {
    const before = await priceOf('WBNB', 'USDT')
    await reserves(WBNB_USDT, 700_000n * E18, 1_000n * E18, 103)
    await seen()
    expect(await priceOf('WBNB', 'USDT')).not.toBe(before)
    await api.owner.query('BEGIN')
    await api.owner.query('DELETE FROM pool_state WHERE block_number > 100')
    await api.owner.query('UPDATE network SET reorgs = reorgs + 1 WHERE chain_id = 56')
    await api.owner.query('COMMIT')
    await seen()
    expect(await priceOf('WBNB', 'USDT')).toBe(before)
  })

  it('follows a change without a notification, too', async () => {
    await reserves(WBNB_USDT, 500_000n * E18, 1_000n * E18, 102)
    await expect.poll(() => priceOf('WBNB', 'USDT')).toBe(decimal(amountOut(E18, 1_000n * E18, 500_000n * E18)))
  })
})

// FOO === MID === USDT no list names FOO or MID
describe('a token between two pools', () => {
  const [FOO, MID] = [hexNumber(0xf00), hexNumber(0x31d)]
  const FOO_MID = hexNumber(0x9005)
  const MID_USDT = hexNumber(0x9006)
  const price = decimal(amountOut(amountOut(E18, 10n ** 24n, 10n ** 24n), 10n ** 24n, 10n ** 24n))
  const priceOrStatus = async () => {
    const { status, body } = await quote(FOO, USDT)
    return status === 200 ? body.result.price : status
  }
  /** A block with a move of the token by a trader, with all blocks up to it covered. */
  const moved = async (block: number, trader: number, over: { time?: number; whole?: boolean } = {}) => {
    const at = { network: 'bsc', block, time: NOON, token: MID, trader: hexNumber(trader), ...over } as const
    await seedMove(api.owner, at)
    await seedNetwork(api.owner, { ...chain('bsc', WBNB), covered: [[1, block, NOON - 86_400, NOON]] })
    await seen()
  }

  beforeAll(async () => {
    const unlisted = { symbol: 'U', name: 'unlisted', decimals: 18 }
    await seedTokens(
      api.owner,
      'bsc',
      [FOO, MID].map((address) => ({ address, ...unlisted })),
    )
    await seedPool(api.owner, { network: 'bsc', address: FOO_MID, token0: MID, token1: FOO })
    await seedPool(api.owner, { network: 'bsc', address: MID_USDT, token0: MID, token1: USDT })
    for (const pool of [FOO_MID, MID_USDT]) await reserves(pool, 10n ** 24n, 10n ** 24n, 100)
  })

  it('is passable if three traders have moved it whole from one pool into another within a week', async () => {
    await seen()
    expect(await priceOrStatus()).toBe(404)
    expect((await quote(FOO, MID)).status).toBe(200)
    expect((await quote(MID, USDT)).status).toBe(200)
    await moved(101, 1)
    await moved(102, 2)
    await moved(103, 2)
    await moved(104, 3, { time: NOON - 8 * 86_400 })
    expect(await priceOrStatus()).toBe(404)
    await moved(105, 3)
    await expect.poll(priceOrStatus).toBe(price)
    const { headers } = await quote(FOO, USDT)
    expect(headers.get('x-quote-flags')).toBe('unlisted-route, unlisted-token, unproven')
    expect((await quote(MID, USDT)).headers.get('x-quote-flags')).toBe('unlisted-token')
    expect((await quote('WBNB', 'USDT')).headers.get('x-quote-flags')).toBeNull()
  })

  it('is not passable once it arrived short, until it was moved whole as often again', async () => {
    await moved(106, 4, { whole: false })
    await expect.poll(priceOrStatus).toBe(404)
    for (const trader of [1, 2, 3]) await moved(106 + trader, trader)
    await expect.poll(priceOrStatus).toBe(price)
  })

  it('is not passable once its moves were rolled back, or are a week old', async () => {
    await api.owner.query('BEGIN')
    await api.owner.query('DELETE FROM token_move WHERE block_number > 108')
    await api.owner.query('UPDATE network SET reorgs = reorgs + 1 WHERE chain_id = 56')
    await api.owner.query('COMMIT')
    await seen()
    expect(await priceOrStatus()).toBe(404)
    await moved(110, 3)
    await expect.poll(priceOrStatus).toBe(price)
    const later = NOON + 7 * 86_400
    await seedNetwork(api.owner, { ...chain('bsc', WBNB), head: { number: 111, time: later } })
    api.setTime(later)
    await expect.poll(priceOrStatus).toBe(404)
    await api.owner.query('DELETE FROM token_move')
    await seedNetwork(api.owner, chain('bsc', WBNB))
    await api.owner.query('UPDATE network SET reorgs = reorgs + 1')
    api.setTime(NOON)
    await seen()
  })

  it('is passable if the configuration names it', async () => {
    await api.owner.query(`UPDATE network SET anchors = ARRAY[decode($1, 'hex')]`, [MID.slice(2)])
    await api.committed()
    await expect.poll(priceOrStatus).toBe(price)
    await api.owner.query(`UPDATE network SET anchors = '{}'`)
    await api.committed()
    await expect.poll(priceOrStatus).toBe(404)
    await api.owner.query(`INSERT INTO listed_symbol VALUES (56, 'MID', decode($1, 'hex'))`, [MID.slice(2)])
    await api.committed()
    await expect.poll(priceOrStatus).toBe(price)
  })
})

describe('the coin', () => {
  it.each(['BNB', 'bnb', EEEE, EEEE.toLowerCase(), ZERO])('is known as %s', async (name) => {
    const { body } = await quote(name, 'USDT')
    expect(body.result.sell_token).toEqual({ name: 'BNB', symbol: 'BNB', decimals: '18', address: '' })
    expect(body.result.price).toBe(await priceOf('WBNB', 'USDT'))
  })

  it.each(['POL', 'MATIC', '0x0000000000000000000000000000000000001010', ZERO])(
    'of polygon is known as %s',
    async (name) => {
      const { status, body, headers } = await quote(name, 'WMATIC', 'polygon')
      expect(status).toBe(200)
      expect(body.result).toMatchObject({
        sell_token: { symbol: 'POL', address: '' },
        buy_token: { symbol: 'WPOL', address: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270' },
        price: '1',
      })
      expect(headers.get('x-price-basis')).toBe('exact')
    },
  )

  it('swaps one to one with its wrapper, even if the state is old', async () => {
    api.setTime(NOON + 5_000)
    expect(await priceOf('BNB', 'WBNB')).toBe('1')
    expect(await priceOf('WBNB', 'BNB')).toBe('1')
    api.setTime(NOON)
  })

  it.each(['MATIC', '0x0000000000000000000000000000000000001010'])(
    'of another network is unknown as %s',
    async (name) => {
      expect((await quote(name, 'USDT')).status).toBe(404)
    },
  )
})

describe('no quote', () => {
  it.each([
    ['the same token', 'WBNB', 'wbnb', 400, /same token/],
    ['the coin by two names', 'BNB', EEEE, 400, /same token/],
    ['an unknown symbol', 'NOSUCH', 'USDT', 404, /sellToken: .* use the contract address instead/],
    ['an ambiguous symbol', 'USDT', 'TWICE', 404, /buyToken: .* ambiguous .* use the contract address instead/],
    ['an unknown contract', hexNumber(0xdead), 'USDT', 404, /sellToken: no indexed pool/],
    ['a token without decimals', NO_DECIMALS, 'USDT', 404, /decimals/],
    ['a token that no pool trades', LONELY, 'USDT', 404, /no route/],
  ])('for %s', async (_, sell, buy, status, message) => {
    const reply = await quote(sell, buy)
    expect(reply).toMatchObject({ status, body: { error: expect.stringMatching(message) } })
    expect(Object.keys(reply.body)).toEqual(['error'])
  })

  it('on a network that is not indexed', async () => {
    expect(await quote('ETH', 'USDC', 'eth')).toMatchObject({
      status: 404,
      body: { error: 'eth is not indexed by this server' },
    })
  })

  it('from a state that is too old', async () => {
    api.setTime(NOON + 121)
    const { status, body, headers } = await quote('WBNB', 'USDT')
    expect(status).toBe(503)
    expect(body.error).toMatch(/too old/)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    api.setTime(NOON + 120)
    expect((await quote('WBNB', 'USDT')).status).toBe(200)
    api.setTime(NOON)
  })

  it('on a network that is no longer indexed, until it is again', async () => {
    await api.owner.query(`UPDATE network SET active = false WHERE name = 'bsc'`)
    await expect.poll(async () => (await quote('WBNB', 'USDT')).status).toBe(404)
    await api.owner.query(`UPDATE network SET active = true WHERE name = 'bsc'`)
    await expect.poll(async () => (await quote('WBNB', 'USDT')).status).toBe(200)
  })

  it('if a pool is empty', async () => {
    await reserves(WBNB_USDT, 0n, 0n, 104)
    await seen()
    expect(await quote('WBNB', 'USDT')).toMatchObject({
      status: 404,
      body: { error: expect.stringMatching(/no route/) },
    })
    await api.owner.query('DELETE FROM pool_state WHERE block_number > 100')
    await api.owner.query('UPDATE network SET reorgs = reorgs + 1 WHERE chain_id = 56')
    await seen()
  })
})
