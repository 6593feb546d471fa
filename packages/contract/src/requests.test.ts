import { parse } from 'node:querystring'
import { describe, expect, it } from 'vitest'
import { TokenSymbol } from './parameters.ts'
import { parseQuoteRequest, parseSwapsRequest, writeSwapCursor } from './requests.ts'

const WBNB = '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c'

const quote = (query: string) => parseQuoteRequest(parse(query))
const swaps = (query: string) => parseSwapsRequest(parse(query))

describe('quote request', () => {
  it('uses bsc if no network is given', () => {
    expect(quote('sellToken=WBNB&buyToken=usdt')).toEqual({
      network: 'bsc',
      sellToken: new TokenSymbol('WBNB'),
      buyToken: new TokenSymbol('usdt'),
    })
  })

  it.each(['eth', 'ETH', 'Eth'])('reads the network %s in any case', (network) => {
    expect(quote(`sellToken=A&buyToken=B&network=${network}`).network).toBe('eth')
  })

  it('ignores unknown parameters, prototype names among them', () => {
    const query = 'sellToken=A&buyToken=B&__proto__[x]=1&constructor=1&toString=1&foo=2'
    expect(quote(query)).toMatchObject({ network: 'bsc' })
    expect(({} as { x?: string }).x).toBeUndefined()
  })

  it.each([
    ['network=', /bsc, eth, polygon/],
    ['network=solana', /bsc, eth, polygon/],
    ['network=eth&network=bsc', /bsc, eth, polygon/],
    ['network=eth%00', /bsc, eth, polygon/],
    ['network=%C4%B1', /bsc, eth, polygon/],
  ])('refuses %s and names the three values', (network, message) => {
    expect(() => quote(`sellToken=A&buyToken=B&${network}`)).toThrow(message)
  })

  it.each([
    ['buyToken=B', 'sellToken is missing'],
    ['sellToken=A', 'buyToken is missing'],
    ['', 'sellToken is missing; buyToken is missing'],
    ['sellToken=&buyToken=B', 'sellToken is empty'],
    ['sellToken=A&sellToken=A&buyToken=B', 'sellToken must be given once'],
    ['sellToken[]=A&buyToken=B', 'sellToken is missing'],
    [`sellToken=${'x'.repeat(129)}&buyToken=B`, 'sellToken is longer than 128 characters'],
    ['sellToken=A%00&buyToken=B', 'sellToken contains control characters'],
    ['sellToken=A%0A&buyToken=B', 'sellToken contains control characters'],
    ['sellToken=A%C2%85&buyToken=B', 'sellToken contains control characters'],
    ['sellToken=0x1234&buyToken=B', /not a valid contract address/],
    [`sellToken=${WBNB.replace('CdB', 'cdB')}&buyToken=B`, /not a valid contract address/],
    [`sellToken=${WBNB}0&buyToken=B`, /not a valid contract address/],
  ])('refuses %s', (query, message) => {
    expect(() => quote(query)).toThrow(message)
  })
})

describe('swaps request', () => {
  it('has no required parameter', () => {
    expect(swaps('')).toEqual({})
  })

  it('reads its own cursor back', () => {
    const cursor = { blockNumber: 48_213_377, network: 'polygon', transactionIndex: 12, position: 3 } as const
    expect(swaps(`cursor=${writeSwapCursor(cursor)}&limit=100&network=POLYGON`)).toEqual({
      network: 'polygon',
      limit: 100,
      cursor,
    })
  })

  it.each([
    'limit=',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=1e3',
    'limit=10001',
    'limit=5&limit=5',
    'cursor=',
    'cursor=abc',
    'cursor=1-solana-0-0',
    'cursor=1-eth-0-0-0',
    'cursor=9999999999999999-eth-0-0',
    'cursor=1-eth-0-0&cursor=1-eth-0-0',
    'network=',
    'network=eth&network=eth',
  ])('refuses %s', (query) => {
    expect(() => swaps(query)).toThrow(/limit|cursor|network/)
  })
})
