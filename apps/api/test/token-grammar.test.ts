import { createClient } from '@dexfeed/client'
import { hexNumber, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'
import { LISTED, seedCovered, seedPair, USDT, WBNB } from './seed-market.ts'

const TWINS = [hexNumber(0x701), hexNumber(0x702)] as const
const E18 = 10n ** 18n

let api: ApiFixture

async function fill(owner: Client): Promise<void> {
  await seedCovered(owner, { network: 'bsc', wrapped: WBNB, stablecoins: [USDT] }, 3)
  await seedTokens(owner, 'bsc', [
    LISTED.WBNB,
    LISTED.USDT,
    ...TWINS.map((address) => ({ address, symbol: 'TWIN', name: 'Twin', decimals: 18, symbols: ['TWIN'] })),
  ])
  await seedPair(owner, { address: hexNumber(0x9001) }, [USDT, 600_000n * E18], [WBNB, 1_000n * E18])
  await seedSwaps(owner, [
    { network: 'bsc', block: 50, time: NOON - 60, sell: WBNB, sellAmount: E18, buy: USDT, buyAmount: 600n * E18 },
    { network: 'bsc', block: 51, time: NOON - 50, sell: USDT, sellNative: false, buy: WBNB, buyNative: true },
  ])
}

beforeAll(async () => {
  api = await openFixture({ fill })
})

const TAKING_A_TOKEN: [parameter: string, path: string][] = [
  ['token', '/v1/candles?network=bsc&interval=1h&token='],
  ['against', `/v1/candles?network=bsc&interval=1h&token=${USDT}&against=`],
  ['token', '/v1/volume?network=bsc&interval=1h&token='],
  ['token', '/v1/swaps?network=bsc&token='],
  ['sell_token', '/v1/swaps?network=bsc&sell_token='],
  ['buy_token', '/v1/swaps?network=bsc&buy_token='],
  ['token', '/v1/tokens?network=bsc&token='],
  ['token', '/v1/pools?network=bsc&token='],
  ['other_token', `/v1/pools?network=bsc&token=${USDT}&other_token=`],
  ['address', '/v1/tokens/bsc/'],
  ['tokens', '/v1/prices?network=bsc&tokens='],
  ['tokens', '/v1/prices?network=bsc&token='],
  ['sell', `/v1/quote?network=bsc&amount=1&buy=${USDT}&sell=`],
  ['sell', `/v1/quote?network=bsc&amount=1&buyToken=${USDT}&sellToken=`],
]

describe('every route that takes a token', () => {
  it.each(TAKING_A_TOKEN)('takes its symbol in any case as %s of %s', async (_, path) => {
    const byAddress = await api.get(`${path}${WBNB}`)
    expect(byAddress.status, byAddress.text).toBe(200)
    for (const symbol of ['WBNB', 'wBnB']) expect((await api.get(`${path}${symbol}`)).body).toEqual(byAddress.body)
  })

  it.each(TAKING_A_TOKEN)('refuses as %s of %s a symbol that is not listed or ambiguous', async (parameter, path) => {
    for (const [symbol, fault] of [
      ['NOSUCH', 'not supported'],
      ['twin', 'ambiguous'],
    ]) {
      const { status, body } = await api.get(`${path}${symbol}`)
      const error = `${parameter}: this symbol is ${fault} on bsc; use the contract address instead`
      expect([status, body]).toEqual([404, { error, code: 'not_found' }])
    }
  })

  it.each(TAKING_A_TOKEN.filter(([, path]) => path.includes('network=')))(
    'says that the network is not indexed, for a symbol as %s of %s',
    async (_, path) => {
      const { status, body } = await api.get(`${path.replace('bsc', 'eth')}WBNB`)
      expect([status, body.code]).toEqual([404, 'network_not_indexed'])
    },
  )

  it('takes the symbol of the coin', async () => {
    for (const path of [
      '/v1/swaps?network=bsc&buy_token=',
      '/v1/prices?network=bsc&tokens=',
      '/v1/tokens?network=bsc&token=',
      '/v1/tokens/bsc/',
    ]) {
      const byAddress = await api.get(`${path}0x${'0'.repeat(40)}`)
      expect((await api.get(`${path}bnb`)).body).toEqual(byAddress.body)
    }
    expect((await api.get('/v1/swaps?network=bsc&buy_token=BNB')).body.data).toHaveLength(1)
  })

  it('needs the network of a symbol', async () => {
    for (const path of ['/v1/swaps?token=WBNB', '/v1/pools?token=WBNB', '/v1/stream?token=WBNB']) {
      const { status, body } = await api.get(path)
      const error = 'token: a symbol needs the parameter network'
      expect([status, body]).toEqual([400, { error, code: 'invalid_parameter' }])
    }
  })
})

it('the stream takes symbols', async () => {
  const stop = new AbortController()
  const events = createClient({ baseUrl: api.api.url }).stream(
    { network: 'bsc', token: 'WBNB,bnb' },
    { signal: stop.signal },
  )
  expect((await events.next()).value).toMatchObject({ event: 'head', data: { network: 'bsc' } })
  stop.abort()
  await expect(events.next()).rejects.toThrow()
  expect((await api.get('/v1/stream?network=bsc&token=WBNB,NOSUCH')).body.error).toMatch(
    /^token\[1\]: this symbol is not/,
  )
  expect((await api.get('/v1/stream?network=eth&token=WBNB')).body.code).toBe('network_not_indexed')
})

it('prices and quotes in a body take symbols and both names', async () => {
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' }
    return (await api.get(path, { method: 'POST', headers, body: JSON.stringify(body) })).body
  }
  const prices = await post('/v1/prices', { network: 'bsc', tokens: ['WBNB', 'bnb', USDT] })
  expect(prices).toEqual(await post('/v1/prices', { network: 'bsc', tokens: [WBNB, '', USDT] }))
  const amount = '2'
  const named = [
    { sell: 'WBNB', buy: 'USDT', amount },
    { sellToken: WBNB, buyToken: 'usdt', amount },
    { sell: 'TWIN', buy: 'USDT', amount },
  ]
  const { quotes } = await post('/v1/quotes', { network: 'bsc', quotes: named })
  expect(quotes[1].quote).toEqual(quotes[0].quote)
  expect(quotes[2].failure.error).toBe('sell: this symbol is ambiguous on bsc; use the contract address instead')
})

it('a list of tokens takes several, in any order', async () => {
  const listed = async (query: string) => (await api.get(`/v1/tokens?${query}`)).body.data
  const [usdt, wbnb] = [await listed('network=bsc&token=USDT'), await listed('network=bsc&token=WBNB')]
  expect(await listed('network=bsc&token=WBNB,USDT')).toHaveLength(2)
  expect(await listed('network=bsc&token=WBNB,bnb,USDT&order_by=volume')).toEqual(
    await listed('network=bsc&token=USDT,WBNB&order_by=volume'),
  )
  expect(await listed(`token=${WBNB},${USDT}`)).toEqual(expect.arrayContaining([...usdt, ...wbnb]))
  expect(await listed(`network=bsc&token=WBNB&search=USDT`)).toEqual([])
})

describe('format=csv', () => {
  it.each(['/v1/swaps?network=bsc', '/v1/pools?token=WBNB&network=bsc', '/v1/tokens?order=desc'])(
    'of %s is what Accept: text/csv gets',
    async (path) => {
      const asked = await api.get(path, { headers: { Accept: 'text/csv' } })
      const { text, headers } = await api.get(`${path}&format=csv`)
      expect(text).toBe(asked.text)
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
      const json = await api.get(`${path}&format=json`, { headers: { Accept: 'text/csv' } })
      expect(json.body).toEqual((await api.get(path)).body)
    },
  )

  it('stays in the link to the next page, and either format may follow', async () => {
    const { headers } = await api.get('/v1/swaps?network=bsc&limit=1&format=csv')
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
    expect(next).toContain('format=csv')
    expect((await api.get(next)).text.split('\r\n')).toHaveLength(3)
    expect((await api.get(next.replace('&format=csv', ''))).body.data).toHaveLength(1)
  })

  it('is refused in a batch, and in another form', async () => {
    const { body } = await api.get('/v1/batch', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ requests: [{ path: '/v1/swaps?format=csv' }, { path: '/v1/swaps?format=json' }] }),
    })
    expect(body.responses.map(({ status }: { status: number }) => status)).toEqual([400, 200])
    expect(body.responses[0].body.error).toBe('format is always json within a batch')
    expect((await api.get('/v1/swaps?format=xml')).status).toBe(400)
  })
})
