import { createClient } from '@dexfeed/client'
import {
  FLAG_AMOUNTS_DIFFER,
  FLAG_CAPPED,
  FLAG_JIT_LIQUIDITY,
  FLAG_OLD_PRICE,
  FLAG_PARTIAL,
  FLAG_UNCONFIRMED,
  NETWORKS,
} from '@dexfeed/dex'
import { hexNumber, seedNetwork, seedPool, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../../test/api-fixture.ts'

const WBNB = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
const USDT = '0x55d398326f99059ff775485246999027b3197955'
/** A token of unknown decimals. */
const ODD = hexNumber(0x0dd)
const POOL = hexNumber(0x900)
/** Has the same last digits as POOL. */
const TWIN = hexNumber((1n << 100n) + 0x900n)
const TRADER = hexNumber(0xabc)
/** A pool in a manager, and its id there. */
const ID = hexNumber(0x777n << 8n, 64)
const MANAGED = `${hexNumber(0x3a)}${ID.slice(2)}` as const
const COIN = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const HASH = hexNumber(0x77, 64)
const CHECKSUM = '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c'

let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({ fill })
})

async function fill(owner: Client): Promise<void> {
  for (const network of ['eth', 'bsc'] as const) {
    await seedNetwork(owner, {
      ...{ network, wrapped: WBNB, start: { number: 1, time: NOON - 999 }, head: { number: 100, time: NOON } },
      ...{ final: 50, covered: [[0, 100, NOON - 999, NOON]], stablecoins: [USDT] },
    })
  }
  await seedTokens(owner, 'bsc', [
    { address: WBNB, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18, symbols: ['WBNB'] },
    { address: USDT, symbol: 'USDT', name: '=Tether', decimals: 6, symbols: ['USDT'] },
    { address: ODD, symbol: 'ODD', name: '', decimals: null },
  ])
  await seedPool(owner, { network: 'bsc', address: POOL, token0: USDT, token1: WBNB })
  await seedPool(owner, { network: 'bsc', address: TWIN, token0: ODD, token1: WBNB })
  await seedPool(owner, { network: 'bsc', address: MANAGED, token0: ODD, token1: WBNB })
  await seedSwaps(owner, [
    {
      ...{ network: 'bsc', block: 50, time: NOON - 60, transaction: 3, txHash: HASH, trader: TRADER },
      ...{ sell: WBNB, sellNative: true, sellAmount: 10n ** 18n, buy: USDT, buyAmount: 612_480_000n },
      ...{
        usd: '612.48000000',
        flags:
          FLAG_CAPPED + FLAG_PARTIAL + FLAG_JIT_LIQUIDITY + FLAG_AMOUNTS_DIFFER + FLAG_OLD_PRICE + FLAG_UNCONFIRMED,
      },
    },
    { network: 'bsc', block: 51, time: NOON - 50, sell: ODD, sellAmount: 5n, buy: WBNB, buyAmount: 7n },
    { network: 'eth', block: 9, time: NOON - 55, sell: ODD, buy: USDT },
  ])
  await owner.query(
    `CREATE TABLE swap_hop_20261121 PARTITION OF swap_hop (PRIMARY KEY (chain_id, block_number, transaction_index, log_index)) FOR VALUES FROM ('2026-11-21') TO ('2026-11-22')`,
  )
  const hex = (text: string) => Buffer.from(text.slice(2), 'hex')
  await owner.query(
    `INSERT INTO swap_hop VALUES ($1, 50, 3, 8, 0, to_timestamp($2), $3, $4, 11, $5, 12, 612.48000000)`,
    [...[NETWORKS.bsc.chainId, NOON - 60, 0x900, hex(WBNB), hex(USDT)]],
  )
  await owner.query(`INSERT INTO swap_hop VALUES ($1, 51, 0, 8, 0, to_timestamp($2), $3, $4, 5, $5, 7, NULL)`, [
    ...[NETWORKS.bsc.chainId, NOON - 50, 0x777 << 8, hex(ODD), hex(WBNB)],
  ])
  await owner.query('UPDATE swap SET settled_for = $1 WHERE block_number = 50', [hex(TRADER)])
}

const blocksOf = (body: { data: { network: string; block_number: string }[] }) =>
  body.data.map(({ network, block_number }) => `${network} ${block_number}`)

describe('/v1/swaps', () => {
  it('returns all that is stored of a trade', async () => {
    const { status, body, headers } = await api.get(`/v1/swaps?tx_hash=${HASH.toUpperCase().replace('0X', '0x')}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        {
          time: '2026-11-21T11:59:00.000Z',
          ...{ network: 'bsc', block_number: '50', tx_hash: HASH, transaction_index: 3, position: 0 },
          trader: hexNumber(0xabc).replace('abc', 'aBc'),
          settled_for: hexNumber(0xabc).replace('abc', 'aBc'),
          sell_token: {
            ...{ name: 'BNB', symbol: 'BNB', decimals: '18', address: '' },
            ...{ amount: '1000000000000000000', amount_decimal: '1.000000000000000000' },
          },
          buy_token: {
            ...{
              name: '=Tether',
              symbol: 'USDT',
              decimals: '6',
              address: '0x55d398326f99059fF775485246999027B3197955',
            },
            ...{ amount: '612480000', amount_decimal: '612.48000000' },
          },
          ...{
            side: 'sell',
            price: '612.48',
            trade_volume_usd: '612.48000000',
            usd_source: 'stablecoin',
            flags: ['capped', 'partial', 'jit-liquidity', 'amounts-differ', 'old-price', 'unconfirmed'],
            final: true,
          },
          hops: [
            {
              ...{ protocol: 'seeded', pool: POOL, log_index: 8, token_in: CHECKSUM, amount_in: '11' },
              ...{ token_out: '0x55d398326f99059fF775485246999027B3197955', amount_out: '12' },
              trade_volume_usd: '612.48000000',
            },
          ],
        },
      ],
      next: null,
      prev: null,
    })
    expect(headers.get('x-indexed-block')).toBe('eth=100, bsc=100')
  })

  it('returns null for what is unknown, and marks a trade whose block may be rolled back', async () => {
    const { body } = await api.get('/v1/swaps?network=BSC&limit=1')
    expect(body.data[0]).toMatchObject({
      sell_token: { symbol: 'ODD', decimals: null, amount: '5', amount_decimal: null },
      ...{ side: 'sell', price: null, trade_volume_usd: null, usd_source: null, flags: [], hops: [{ pool: MANAGED }] },
      final: false,
    })
    const { body: unknown } = await api.get('/v1/swaps?network=eth')
    expect(unknown.data[0]).toMatchObject({ hops: [], sell_token: { name: null, symbol: null, decimals: null } })
  })

  it.each([
    ['', ['bsc 51', 'eth 9', 'bsc 50']],
    ['order=asc', ['bsc 50', 'eth 9', 'bsc 51']],
    ['network=eth', ['eth 9']],
    [`trader=${TRADER}`, ['bsc 50']],
    [`token=${CHECKSUM}`, ['bsc 51', 'bsc 50']],
    [`sell_token=${WBNB}`, ['bsc 50']],
    [`buy_token=${USDT}`, ['eth 9', 'bsc 50']],
    [`pool=${POOL}`, ['bsc 50']],
    ['protocol=seeded', ['bsc 51', 'bsc 50']],
    [`pool=${MANAGED}`, ['bsc 51']],
    [`pool=${ID}`, ['bsc 51']],
    [`token=${COIN}`, ['bsc 50']],
    ['sell_token=', ['bsc 50']],
    ['sell_token=&network=bsc&order=asc', ['bsc 50']],
    [`buy_token=${COIN}`, []],
    ['min_usd=612.48', ['bsc 50']],
    ['min_usd=612.48000001', []],
    ['max_usd=1000', ['bsc 50']],
    ['from=2026-11-21T11:59:10.000Z', ['bsc 51']],
    ['from=2026-11-21T13:59:10%2B02:00', ['bsc 51']],
    ['to=2026-11-21&network=bsc', []],
    [`from=${NOON - 55}`, ['bsc 51', 'eth 9']],
    ['from=2026-11-21T11:59:05Z', ['bsc 51', 'eth 9']],
    ['to=2026-11-21T11:59:05Z', ['bsc 50']],
    ['from=2026-11-21T11:59:05Z&to=2026-11-21T11:59:10Z', ['eth 9']],
    ['from=2030-01-01T00:00:00Z', []],
  ])('?%s', async (query, blocks) => {
    const { body } = await api.get(`/v1/swaps?${query}`)
    expect(blocksOf(body)).toEqual(blocks)
    expect(body.next).toBeNull()
  })

  it('goes there and back by the links, too', async () => {
    const first = await api.get('/v1/swaps?limit=2')
    expect(blocksOf(first.body)).toEqual(['bsc 51', 'eth 9'])
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
    const second = await api.get(next)
    expect(blocksOf(second.body)).toEqual(['bsc 50'])
    const [, prev = ''] = /<([^>]+)>; rel="prev"$/.exec(second.headers.get('link') ?? '') ?? []
    const back = await api.get(prev)
    expect(blocksOf(back.body)).toEqual(['bsc 51', 'eth 9'])
    expect(back.body.prev).toBeNull()
    expect(blocksOf((await api.get(`/v1/swaps?cursor=${back.body.next}`)).body)).toEqual(['bsc 50'])
  })

  it.each([
    ['protocol=other', 'no indexed pool is of this protocol; /v1/protocols lists the names'],
    ['protocol=seeded&network=eth', 'no indexed pool of eth is of this protocol; /v1/protocols lists the names'],
    [`token=${hexNumber(0x404)}&network=bsc`, 'no indexed pool of bsc trades this token'],
    [`buy_token=${hexNumber(0x404)}`, 'no indexed pool trades this token'],
    [`pool=${hexNumber(0x404)}&network=bsc`, 'no such pool of bsc is known'],
  ])('?%s names what is unknown', async (query, error) => {
    const { status, body } = await api.get(`/v1/swaps?${query}`)
    expect([status, body]).toEqual([404, { error, code: 'not_found' }])
  })

  it.each([
    ['tokne=0x', 'unknown_parameter'],
    ['token=WBNB', 'invalid_parameter'],
    ['token=0xBB4cdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 'invalid_parameter'],
    ['network=eth&network=bsc', 'invalid_parameter'],
    ['from=2026-02-30T00:00:00Z', 'invalid_parameter'],
    ['from=9999-12-31T00:00:00Z', 'invalid_parameter'],
    ['to=yesterday', 'invalid_parameter'],
    ['min_usd=-1', 'invalid_parameter'],
    ['min_usd=1e9', 'invalid_parameter'],
    ['cursor=W10.abc', 'invalid_cursor'],
    ['protocol=%27', 'invalid_parameter'],
  ])('?%s is refused as %s', async (query, code) => {
    const { status, body } = await api.get(`/v1/swaps?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.any(String), code })
  })

  it("the client reads all pages within the server's rate limit, and batches what it reads", async () => {
    const client = createClient({ baseUrl: api.api.url })
    const blocks: string[] = []
    for await (const { network, block_number } of client.rows('searchSwaps', { limit: 1, order: 'asc' })) {
      blocks.push(`${network} ${block_number}`)
    }
    expect(blocks).toEqual(['bsc 50', 'eth 9', 'bsc 51'])
    const wrong = client.call('searchSwaps', { trader: '0x1' })
    await expect(wrong).rejects.toMatchObject({ status: 400, code: 'invalid_parameter', requestId: expect.any(String) })
    const { responses } = await client.call('batch', { requests: [{ path: '/v1/swaps?limit=1' }] })
    expect(responses[0]).toMatchObject({ status: 200, body: { data: [{ block_number: '51' }] } })
    const { address } = await client.call('getPool', { network: 'bsc', address: POOL })
    expect(address).toBe(POOL)
  })

  it('is CSV for a client that prefers it, one line per trade, and never turns a name into a formula', async () => {
    const { text, headers } = await api.get('/v1/swaps?order=asc&limit=1', { headers: { Accept: 'text/csv' } })
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('vary')).toContain('Accept')
    const [heading, line, rest] = text.split('\r\n')
    expect(heading?.split(',').slice(0, 3)).toEqual(['time', 'network', 'block_number'])
    expect(heading).toContain('buy_token.amount_decimal')
    expect(line).toContain(",'=Tether,USDT,6,")
    expect(rest).toBe('')
    const hops = /,"(\[\{.*\}\])",true$/.exec(line ?? '')?.[1]?.replaceAll('""', '"')
    expect(JSON.parse(hops ?? '')).toMatchObject([{ pool: POOL, amount_in: '11' }])
    expect(headers.get('link')).toMatch(/rel="next"$/)
    const json = await api.get('/v1/swaps', { headers: { Accept: 'application/json, text/csv;q=0.5' } })
    expect(json.body.data).toHaveLength(3)
  })

  it('is 503 with its own code if the database takes too long', async () => {
    const slow = await openFixture({ fill, statementTimeoutMs: 200, max: 2 })
    await slow.owner.query('BEGIN')
    await slow.owner.query('LOCK TABLE swap IN ACCESS EXCLUSIVE MODE')
    const { status, body, headers } = await slow.get('/v1/swaps')
    expect(status).toBe(503)
    expect(body.code).toBe('query_timeout')
    expect(headers.get('retry-after')).toBe('1')
    await slow.owner.query('ROLLBACK')
    // Its time-out may end an honest read, too.
    await expect.poll(async () => (await slow.get('/v1/swaps')).status).toBe(200)
  })
})
