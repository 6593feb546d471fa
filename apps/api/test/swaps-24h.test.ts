import { HOUR_S } from '@dexfeed/dex'
import { hexNumber, type SeedSwap, seedNetwork, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const WBNB = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
const ODD = hexNumber(0xdd)
const BROKEN = hexNumber(0xbb)

// eth and bsc run side by side, a block every 10 minutes; block 1000 is at NOON.
const timeOf = (block: number) => NOON - (1000 - block) * 600
const covered = (network: 'eth' | 'bsc', from: number) =>
  ({
    network,
    wrapped: network === 'eth' ? WETH : WBNB,
    start: { number: 500, time: timeOf(500) },
    head: { number: 1000, time: timeOf(1000) },
    final: 998,
    covered: [[from, 1000, timeOf(from), timeOf(1000)]],
  }) as const

const swaps: SeedSwap[] = [
  // The first of these is exactly as old as the window, the other one second too old.
  { network: 'eth', block: 856, time: NOON - 24 * HOUR_S, sell: WETH, buy: USDC, usd: '1.00000000' },
  { network: 'eth', block: 855, time: NOON - 24 * HOUR_S - 1, sell: WETH, buy: USDC, usd: '1.00000000' },
  {
    network: 'eth',
    block: 900,
    time: timeOf(900),
    transaction: 3,
    txHash: hexNumber(0xabc, 64),
    sell: WETH,
    sellNative: true,
    sellAmount: 1_500_000_000_000_000_000n,
    buy: USDC,
    buyAmount: 4_200_123_456n,
    usd: '4200.12345600',
    flags: 1,
  },
  { network: 'bsc', block: 900, time: timeOf(900), transaction: 1, sell: WBNB, buy: ODD, buyNative: false, usd: null },
  { network: 'eth', block: 900, time: timeOf(900), transaction: 4, sell: USDC, buy: WETH, usd: '0.00000000' },
  { network: 'eth', block: 901, time: timeOf(901), sell: USDC, buy: BROKEN, usd: '7.00000000', flags: 2 },
  { network: 'eth', block: 902, time: timeOf(902), sell: hexNumber(0x404), buy: USDC, usd: '7.00000000' },
  { network: 'eth', block: 999, time: timeOf(999), sell: ODD, buy: WETH, buyAmount: 2n ** 256n - 1n, usd: null },
]

let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedNetwork(owner, covered('eth', 500))
      await seedNetwork(owner, covered('bsc', 500))
      const odd = 'a"b\\c</script>\u2028\u202e𝄞'
      await seedTokens(owner, 'eth', [
        { address: WETH, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18 },
        { address: USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
        { address: ODD, symbol: odd, name: '', decimals: 0 },
        { address: BROKEN, symbol: 'BRK', name: 'no decimals', decimals: null },
      ])
      await seedTokens(owner, 'bsc', [
        { address: WBNB, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18 },
        { address: ODD, symbol: 'ODD', name: 'on bsc', decimals: 77 },
      ])
      await seedSwaps(owner, swaps)
    },
  })
})

const places = (body: { block_number: string; tx_hash: string }[]) => body.map((swap) => swap.block_number)

describe('swaps_24h', () => {
  it('lists the window in ascending order of block, network and transaction', async () => {
    const { status, body, headers } = await api.get('/api/swaps_24h')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(places(body)).toEqual(['856', '900', '900', '900', '999'])
    expect(body.map((swap: { sell_token: { symbol: string } }) => swap.sell_token.symbol)).toEqual([
      ...['WETH', 'ETH', 'USDC', 'WBNB', 'a"b\\c</script>\u2028\u202e𝄞'],
    ])
  })

  it('states a swap with exactly the fields of the contract', async () => {
    const { body } = await api.get('/api/swaps_24h')
    expect(body[1]).toEqual({
      tx_hash: hexNumber(0xabc, 64),
      block_number: '900',
      sell_token: {
        name: 'Ether',
        symbol: 'ETH',
        decimals: '18',
        address: '',
        amount: '1500000000000000000',
        amount_decimal: '1.500000000000000000',
      },
      buy_token: {
        name: 'USD Coin',
        symbol: 'USDC',
        decimals: '6',
        address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        amount: '4200123456',
        amount_decimal: '4200.12345600',
      },
      trade_volume_usd: '4200.12345600',
    })
  })

  it('writes an unknown value as zero and counts such swaps in a header', async () => {
    const { body, headers } = await api.get('/api/swaps_24h')
    expect(body[3].trade_volume_usd).toBe('0.00000000')
    expect(headers.get('x-unpriced-swaps')).toBe('2')
    expect(headers.get('x-flagged-swaps')).toBe('1')
    expect(headers.get('x-indexed-block')).toBe('eth=1000, bsc=1000')
  })

  it('keeps the largest amount and the most decimals exact', async () => {
    const { body } = await api.get('/api/swaps_24h')
    expect(body.at(-1).buy_token.amount).toBe((2n ** 256n - 1n).toString())
    expect(body[3].buy_token.amount_decimal).toBe(`0.${'0'.repeat(76)}1`)
  })

  it('leaves out swaps whose tokens cannot be stated', async () => {
    const { text } = await api.get('/api/swaps_24h')
    expect(text).not.toContain('"901"')
    expect(text).not.toContain('"902"')
  })

  it('returns the same bytes every time', async () => {
    const [first, second] = await Promise.all([api.get('/api/swaps_24h'), api.get('/api/swaps_24h')])
    expect(second.text).toBe(first.text)
  })

  it('filters by network, in upper or lower case', async () => {
    const { body } = await api.get('/api/swaps_24h?network=BSC')
    expect(places(body)).toEqual(['900'])
  })

  it('refuses a network that is not indexed and one that does not exist', async () => {
    expect(await api.get('/api/swaps_24h?network=polygon')).toMatchObject({
      status: 404,
      body: { error: 'polygon is not indexed by this server' },
    })
    expect(await api.get('/api/swaps_24h?network=solana')).toMatchObject({ status: 400 })
  })

  it('returns the whole list by the links of pages', async () => {
    const whole = (await api.get('/api/swaps_24h')).body
    for (const limit of [1, 2, 3, 100]) {
      const all: unknown[] = []
      let unpriced = 0
      let flagged = 0
      for (let path: string | undefined = `/api/swaps_24h?limit=${limit}`; path !== undefined; ) {
        const { status, body, headers } = await api.get(path)
        expect(status).toBe(200)
        all.push(...body)
        unpriced += Number(headers.get('x-unpriced-swaps'))
        flagged += Number(headers.get('x-flagged-swaps'))
        path = headers.get('link')?.match(/^<(.+)>; rel="next"$/)?.[1]
      }
      expect(all).toEqual(whole)
      expect(unpriced).toBe(2)
      expect(flagged).toBe(1)
    }
  })

  it('continues after a cursor to the end without a limit', async () => {
    const { body, headers } = await api.get('/api/swaps_24h?cursor=900-eth-4-0')
    expect(places(body)).toEqual(['900', '999'])
    expect(headers.get('x-unpriced-swaps')).toBe('2')
  })

  it('responds to HEAD with the headers of GET', async () => {
    const [head, whole] = [await api.get('/api/swaps_24h', { method: 'HEAD' }), await api.get('/api/swaps_24h')]
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    for (const name of ['content-type', 'x-data-complete', 'x-unpriced-swaps', 'x-indexed-block', 'cache-control']) {
      expect(head.headers.get(name)).toBe(whole.headers.get(name))
    }
  })

  it('reports complete data only when the whole window is covered and the head is fresh', async () => {
    const complete = async () => (await api.get('/api/swaps_24h')).headers.get('x-data-complete')
    expect(await complete()).toBe('true')
    // Block 856 is in the window's first second, which may contain other blocks, too.
    await seedNetwork(api.owner, covered('bsc', 856))
    expect(await complete()).toBe('false')
    await seedNetwork(api.owner, covered('bsc', 855))
    expect(await complete()).toBe('true')
    api.setTime(NOON + 121)
    expect(await complete()).toBe('false')
    api.setTime(NOON)
  })

  it('follows the clock: a second later the window has moved', async () => {
    api.setTime(NOON + 1)
    expect(places((await api.get('/api/swaps_24h')).body)).toEqual(['900', '900', '900', '999'])
    api.setTime(NOON)
  })

  it('is an empty array without swaps', async () => {
    api.setTime(NOON + 48 * HOUR_S)
    expect((await api.get('/api/swaps_24h')).text).toBe('[]')
    expect((await api.get('/api/swaps_24h?limit=5')).text).toBe('[]')
    api.setTime(NOON)
  })
})
