import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import { expect } from 'vitest'
import type { Programs } from './programs.ts'

const ETH = { sell: 'WETH', buy: 'USDC', coin: 'ETH', wrapper: 'WETH' }
const PAIRS: Partial<Record<NetworkName, typeof ETH>> = {
  eth: ETH,
  bsc: { sell: 'WBNB', buy: 'USDT', coin: 'BNB', wrapper: 'WBNB' },
  polygon: { sell: 'WETH', buy: 'USDC', coin: 'POL', wrapper: 'WPOL' },
}
/** A network without its own plan has the same local chain as eth. */
const pairOf = (network: NetworkName) => PAIRS[network] ?? { ...ETH, coin: NETWORKS[network].native.symbol }
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const TOKEN = { name: expect.any(String), symbol: expect.any(String), decimals: expect.stringMatching(/^\d{1,2}$/) }
const ADDRESS = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)

/** Returns one refusal of each kind. apps/api/test/parameters.test.ts has all others. */
export function refusals(network: NetworkName): readonly [wrong: string, path: string, status: number, says: RegExp][] {
  const { buy } = pairOf(network)
  return [
    ['nothing to sell', `/api/quote?network=${network}&buyToken=${buy}`, 400, /sellToken/],
    ['an unknown symbol', `/api/quote?network=${network}&sellToken=NOSUCH&buyToken=${buy}`, 404, /contract address/],
    ['an unknown path', `/api/${network}`, 404, /./],
    ['a long path', `/api/quote?network=${network}&sellToken=${'x'.repeat(5000)}`, 414, /long/],
  ]
}

/** Expects an error: one sentence in one field of JSON, and never cached. */
export async function expectRefusal(get: Programs['get'], path: string, status: number, says: RegExp): Promise<void> {
  const reply = await get(path)
  expect(reply, path).toMatchObject({ status, body: { error: expect.stringMatching(says) } })
  expect(Object.keys(reply.body), path).toEqual(['error'])
  expect(reply.headers.get('content-type'), path).toMatch(/^application\/json/)
  expect(reply.headers.get('cache-control'), path).toBe('no-store')
}

export async function expectShapes(get: Programs['get'], network: NetworkName): Promise<void> {
  const { sell, buy } = pairOf(network)
  const quote = await get(`/api/quote?sellToken=${sell}&buyToken=${buy}&network=${network.toUpperCase()}`)
  const token = { ...TOKEN, address: ADDRESS }
  const price = expect.stringMatching(/^\d+(\.\d+)?$/)
  expect(quote.body).toStrictEqual({ result: { network, sell_token: token, buy_token: token, price } })
  expect(Number(quote.body.result.price)).toBeGreaterThan(0)

  const swaps = await get(`/api/swaps_24h?network=${network}`)
  const leg = {
    ...TOKEN,
    address: expect.stringMatching(/^(0x[0-9a-fA-F]{40})?$/),
    amount: expect.stringMatching(/^[1-9]\d*$/),
    amount_decimal: expect.stringMatching(/^\d+\.\d{8,}$/),
  }
  const row = {
    tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    block_number: expect.stringMatching(/^[1-9]\d*$/),
    sell_token: leg,
    buy_token: leg,
    trade_volume_usd: expect.stringMatching(/^\d+\.\d{8}$/),
  }
  expect(swaps.body.length).toBeGreaterThan(0)
  for (const swap of swaps.body) expect(swap).toStrictEqual(row)
  const unpriced = swaps.body.filter((swap: { trade_volume_usd: string }) => /^0\.0+$/.test(swap.trade_volume_usd))
  expect(swaps.headers.get('x-unpriced-swaps')).toBe(String(unpriced.length))
}

export async function expectNativeQuotes(get: Programs['get'], network: NetworkName): Promise<void> {
  const { buy, coin, wrapper } = pairOf(network)
  const priceOf = async (sellToken: string, buyToken: string) => {
    const { body } = await get(`/api/quote?network=${network}&sellToken=${sellToken}&buyToken=${buyToken}`)
    return body.result
  }
  expect(await priceOf(coin, wrapper)).toMatchObject({ price: '1', sell_token: { address: '', decimals: '18' } })
  expect(await priceOf(wrapper, coin)).toMatchObject({ price: '1', buy_token: { address: '', symbol: coin } })
  const { price } = await priceOf(wrapper, buy)
  const names = [coin, coin.toLowerCase(), NATIVE, NATIVE.toLowerCase(), `0x${'0'.repeat(40)}`]
  const more = network === 'polygon' ? ['MATIC', '0x0000000000000000000000000000000000001010'] : []
  for (const name of [...names, ...more]) {
    expect(await priceOf(name, buy), name).toMatchObject({ price, sell_token: { address: '', symbol: coin } })
  }
}
