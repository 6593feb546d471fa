import { FLAG_AMOUNTS_DIFFER, FLAG_CAPPED, NETWORKS } from '@dexfeed/dex'
import { hexNumber, seedNetwork, seedPool, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../../../test/api-fixture.ts'

const WBNB = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
const USDT = '0x55d398326f99059ff775485246999027b3197955'
const TAX = hexNumber(0x7a)
const HASH = hexNumber(0x77, 64)
const [FIRST_POOL, SECOND_POOL] = [hexNumber(0x901), hexNumber(0x902)]

let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({ fill })
})

/** One transaction: 100 USDT over two pools for TAX, of which 2 % did not arrive; then another hop. */
async function fill(owner: Client): Promise<void> {
  await seedNetwork(owner, {
    ...{ network: 'bsc', wrapped: WBNB, start: { number: 1, time: NOON - 999 }, head: { number: 100, time: NOON } },
    ...{
      final: 50,
      covered: [
        [5, 60, NOON - 900, NOON - 100],
        [70, 100, NOON - 90, NOON],
      ],
    },
  })
  await seedTokens(owner, 'bsc', [
    { address: WBNB, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18, symbols: ['WBNB'] },
    { address: USDT, symbol: 'USDT', name: '</script>', decimals: 6, symbols: ['USDT'] },
    { address: TAX, symbol: 'TAX', name: 'Tax', decimals: null },
  ])
  await seedPool(owner, { network: 'bsc', address: FIRST_POOL, token0: USDT, token1: WBNB })
  await seedPool(owner, { network: 'bsc', address: SECOND_POOL, token0: TAX, token1: WBNB })
  const place = { network: 'bsc', block: 51, time: NOON - 60, transaction: 3, txHash: HASH } as const
  await seedSwaps(owner, [
    {
      ...place,
      sell: USDT,
      sellAmount: 100_000_000n,
      buy: TAX,
      buyAmount: 980n,
      usd: '100.00000000',
      flags: FLAG_AMOUNTS_DIFFER,
    },
    { ...place, position: 1, sell: WBNB, sellNative: true, sellAmount: 4n, buy: USDT, buyAmount: 9n },
    { network: 'bsc', block: 51, time: NOON - 60, transaction: 4, sell: WBNB, buy: USDT },
  ])
  await owner.query(
    `CREATE TABLE swap_hop_20261121 PARTITION OF swap_hop (PRIMARY KEY (chain_id, block_number, transaction_index, log_index)) FOR VALUES FROM ('2026-11-21') TO ('2026-11-22')`,
  )
  const hex = (text: string) => Buffer.from(text.slice(2), 'hex')
  const hops = [
    [8, 0, 0x901, USDT, 100_000_000, WBNB, 5, '100.00000000', 0],
    [9, 0, 0x902, WBNB, 5, TAX, 1_000, null, FLAG_CAPPED],
    [11, 1, 0x901, WBNB, 4, USDT, 9, null, 0],
  ] as const
  for (const [log, position, pool, tokenIn, amountIn, tokenOut, amountOut, usd, flags] of hops) {
    await owner.query(
      `INSERT INTO swap_hop (chain_id, block_number, transaction_index, log_index, position, block_time, pool_key,
         token_in, amount_in, token_out, amount_out, volume_usd, flags)
       VALUES ($1, 51, 3, $2, $3, to_timestamp($4), $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[NETWORKS.bsc.chainId, log, position, NOON - 60, pool],
        ...[hex(tokenIn), amountIn, hex(tokenOut), amountOut, usd, flags],
      ],
    )
  }
}

describe('/v1/transactions', () => {
  it('returns the trades of a transaction with their hops and the reasons', async () => {
    const { status, body, headers } = await api.get(`/v1/transactions/BSC/${HASH.toUpperCase().replace('0X', '0x')}`)
    expect(status).toBe(200)
    const { trades, ...transaction } = body
    expect(transaction).toEqual({
      ...{ network: 'bsc', tx_hash: HASH, block_number: '51', time: '2026-11-21T11:59:00.000Z', final: false },
      ...{ transaction_index: 3, trader: hexNumber(1), complete: true },
      tokens: [
        { address: '0x55d398326f99059fF775485246999027B3197955', symbol: 'USDT', name: '</script>', decimals: '6' },
        { address: expect.stringMatching(/^0x0{38}7A$/i), symbol: 'TAX', name: 'Tax', decimals: null },
        { address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', symbol: 'WBNB', name: 'Wrapped BNB', decimals: '18' },
      ],
    })
    expect(trades).toHaveLength(2)
    expect(trades[0]).toMatchObject({
      ...{ position: 0, trade_volume_usd: '100.00000000', usd_source: 'stablecoin', flags: ['amounts-differ'] },
      sell_token: { symbol: 'USDT', amount: '100000000' },
      buy_token: { symbol: 'TAX', amount: '980', amount_decimal: null },
      through_pools: {
        sell: { symbol: 'USDT', amount_decimal: '100.00000000' },
        buy: { symbol: 'TAX', amount: '1000' },
      },
      hops: [
        { protocol: 'seeded', pool: FIRST_POOL, log_index: 8, amount_in: '100000000', amount_out: '5', flags: [] },
        { protocol: 'seeded', pool: SECOND_POOL, log_index: 9, amount_in: '5', amount_out: '1000', flags: ['capped'] },
      ],
    })
    expect(trades[0].notes.map(({ code }: { code: string }) => code)).toEqual([
      ...['route', 'as-pools', 'kept', 'decimals-unknown', 'amounts-differ'],
    ])
    expect(trades[1]).toMatchObject({
      position: 1,
      sell_token: { symbol: 'BNB' },
      usd_source: null,
      through_pools: { sell: { symbol: 'WBNB' } },
    })
    expect(headers.get('x-indexed-block')).toBe('bsc=100')
  })

  it('says which blocks are indexed when it knows no trade of a transaction', async () => {
    const { status, body } = await api.get(`/v1/transactions/bsc/${hexNumber(0x78, 64)}`)
    expect(status).toBe(404)
    expect(body).toEqual({
      error: expect.stringMatching(/is stored: .*indexed are blocks 5 to 100, not all of them/),
      code: 'not_found',
    })
  })

  it.each([
    [`eth/${HASH}`, 404, 'network_not_indexed'],
    ['bsc/0x12', 400, 'invalid_parameter'],
    [`solana/${HASH}`, 400, 'invalid_parameter'],
    [`bsc/${HASH}?verbose=1`, 400, 'unknown_parameter'],
  ])('refuses %s with %d', async (path, status, code) => {
    expect(await api.get(`/v1/transactions/${path}`)).toMatchObject({ status, body: { code } })
  })
})
