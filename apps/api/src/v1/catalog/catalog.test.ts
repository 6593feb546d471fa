import { checksumAddress } from '@dexfeed/contract'
import { FLAG_CAPPED, NETWORKS, notQuoted } from '@dexfeed/dex'
import { hexNumber, seedNetwork, seedPool, seedState, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../../../test/api-fixture.ts'

const WBNB = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
const USDT = '0x55d398326f99059ff775485246999027b3197955'
const ODD = hexNumber(0x0dd)
const [PAIR, CURVE, THREE] = [0x901, 0x902, 0x903].map((n) => hexNumber(n))
/** A pool's id in its manager, which another manager has on another network. */
const ID = hexNumber(0x904n << 200n, 64)
const NATIVE = `${hexNumber(0x3a)}${ID.slice(2)}` as const

let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({ fill })
})

const bytes = (text: string) => Buffer.from(text.slice(2), 'hex')

async function fill(owner: Client): Promise<void> {
  for (const network of ['eth', 'bsc'] as const) {
    await seedNetwork(owner, {
      ...{ network, wrapped: WBNB, start: { number: 1, time: NOON - 999 }, head: { number: 100, time: NOON } },
      ...{ final: 90, covered: [[0, 100, NOON - 999, NOON]] },
    })
    await seedTokens(owner, network, [
      { address: WBNB, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18, symbols: ['WBNB', 'BNB2'] },
      { address: USDT, symbol: 'USDT', name: 'Tether%', decimals: 6, symbols: ['USDT'] },
      { address: ODD, symbol: 'usdT', name: 'Ähnlich_', decimals: null },
    ])
  }
  await seedPool(owner, { network: 'bsc', address: PAIR ?? ODD, token0: USDT, token1: WBNB, fee: 2_500 })
  await seedPool(owner, { network: 'bsc', address: CURVE ?? ODD, token0: USDT, token1: ODD, fee: 0, tickSpacing: 60 })
  await seedPool(owner, { network: 'bsc', address: THREE ?? ODD, token0: USDT, token1: ODD })
  await seedPool(owner, { network: 'eth', address: NATIVE ?? ODD, token0: hexNumber(0), token1: USDT })
  await owner.query(`UPDATE pool SET coins = $1, dex = 'curve', hooks = $2 WHERE address = $3`, [
    ...[[bytes(USDT), bytes(ODD), bytes(WBNB)], bytes(ODD), bytes(THREE ?? '')],
  ])
  const at = { network: 'bsc', block: 99 } as const
  await seedState(owner, { ...at, pool: PAIR ?? ODD, state: { kind: 'pair', reserve0: 5n, reserve1: 2n ** 200n } })
  const curve = { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: -7, liquidity: 9n } as const
  await seedState(owner, { ...at, pool: CURVE ?? ODD, state: curve })
  await seedState(owner, { ...at, pool: THREE ?? ODD, state: curve })
  await seedState(owner, { network: 'eth', block: 99, pool: NATIVE ?? ODD, state: notQuoted('unknown-rate') })
  await owner.query('INSERT INTO invalidated_pool VALUES ($1, $2, 99)', [NETWORKS.bsc.chainId, bytes(THREE ?? '')])
  const swap = {
    network: 'bsc',
    sell: USDT,
    sellAmount: 3_000_000n,
    buy: WBNB,
    buyAmount: 7n,
    usd: '1.00000000',
  } as const
  await seedSwaps(owner, [
    { ...swap, block: 80, time: NOON - 200 },
    { ...swap, block: 81, time: NOON - 190, usd: '9.00000000', flags: FLAG_CAPPED },
    { ...swap, block: 82, time: NOON - 180, usd: null },
    // More trades than a search reads, none of them final.
    ...Array.from({ length: 25 }, (_, transaction) => ({
      ...{ ...swap, block: 95, transaction, time: NOON - 50, usd: '9.00000000' },
    })),
  ])
}

/** A token without roll-ups, in a network without a known stablecoin. figures.test.ts has the other cases. */
const NO_FLOW = {
  ...{ swaps: 0, volume_usd: '0.00000000', buys: 0, sells: 0 },
  ...{ buy_volume_usd: '0.00000000', sell_volume_usd: '0.00000000', buyers: 0, sellers: 0, traders: 0 },
}
const NO_FIGURES = {
  ...{ price_usd: null, price_change_5m: null, price_change_1h: null, price_change_6h: null, price_change_24h: null },
  ...{ volume_24h_usd: '0.00000000', swaps_24h: 0, unpriced_swaps_24h: 0 },
  ...{ liquidity_usd: null, first_seen: null },
  flow: { '5m': NO_FLOW, '1h': NO_FLOW, '6h': NO_FLOW, '24h': NO_FLOW },
}

const namesOf = (body: { data: { network: string; address: string }[] }) =>
  body.data.map(({ network, address }) => `${network} ${address.toLowerCase()}`)

/** Returns all pages, there and back. */
async function walk(path: string): Promise<string[]> {
  const pages = [(await api.get(path)).body]
  while (pages.at(-1).next !== null) pages.push((await api.get(`${path}&cursor=${pages.at(-1).next}`)).body)
  const back = [pages.at(-1)]
  while (back[0].prev !== null) back.unshift((await api.get(`${path}&cursor=${back[0].prev}`)).body)
  expect(back.flatMap(namesOf)).toEqual(pages.flatMap(namesOf))
  return pages.flatMap(namesOf)
}

const ALL = ['eth', 'bsc'].flatMap((network) => [ODD, USDT, WBNB].map((address) => `${network} ${address}`))

describe('/v1/tokens', () => {
  it.each([
    ['order=asc', ALL],
    ['order=desc', [...ALL].reverse()],
    ['network=bsc', ALL.slice(3)],
    ['search=USD', ALL.filter((name) => !name.includes(WBNB))],
    ['search=wrapped', ALL.filter((name) => name.includes(WBNB))],
    ['search=%C3%84HN', ALL.filter((name) => name.includes(ODD))],
    ['search=%25', []],
    ['search=_', []],
    ['search=ether', []],
    [`search=${USDT.toUpperCase().replace('0X', '0x')}`, ALL.filter((name) => name.includes(USDT))],
    ['listed=true', ALL.filter((name) => !name.includes(ODD))],
    ['listed=false&search=usdt', ALL.filter((name) => name.includes(ODD))],
  ])('?%s, page by page there and back', async (query, expected) => {
    expect(await walk(`/v1/tokens?limit=2&${query}`)).toEqual(expected)
    expect(await walk(`/v1/tokens?limit=1&${query}`)).toEqual(expected)
  })

  it('returns one of them, with the price of its newest final trade that has an unflagged value', async () => {
    const { body } = await api.get(`/v1/tokens/bsc/${USDT}`)
    expect(body).toEqual({
      ...{ network: 'bsc', address: '0x55d398326f99059fF775485246999027B3197955', symbol: 'USDT', name: 'Tether%' },
      ...{ decimals: '6', listed: true, ...NO_FIGURES, price_weighted: null, total_supply: null, fdv_usd: null },
      last_trade: {
        time: '2026-11-21T11:56:40.000Z',
        tx_hash: hexNumber((56n << 128n) + (80n << 32n), 64),
        price_usd: '0.333333333333333333',
      },
    })
    const odd = await api.get(`/v1/tokens/BSC/${ODD}`)
    expect(odd.body).toMatchObject({ symbol: 'usdT', decimals: null, listed: false, last_trade: null })
  })

  it.each([
    ['tokens/bsc/0x0000000000000000000000000000000000000001', 404, 'not_found'],
    [`tokens/polygon/${USDT}`, 404, 'network_not_indexed'],
    [`tokens/solana/${USDT}`, 400, 'invalid_parameter'],
    ['tokens/bsc/NOSUCH', 404, 'not_found'],
    ['tokens/bsc/0x1', 400, 'invalid_parameter'],
    [`tokens/bsc/${USDT}?network=bsc`, 400, 'unknown_parameter'],
    ['tokens?search=', 400, 'invalid_parameter'],
    ['tokens?search=%00', 400, 'invalid_parameter'],
    ['tokens?network=polygon', 404, 'network_not_indexed'],
    [`pools/bsc/${USDT}`, 404, 'not_found'],
    [`pools/bsc/${ID}`, 404, 'not_found'],
    [`pools?token=${hexNumber(1)}`, 404, 'not_found'],
    ['pools?network=eth&protocol=curve', 404, 'not_found'],
    ['pools?token=0x1', 400, 'invalid_parameter'],
    ['nothing', 404, 'not_found'],
  ])('/v1/%s is %i %s', async (path, status, code) => {
    const reply = await api.get(`/v1/${path}`)
    expect(reply.status).toBe(status)
    expect(reply.body).toEqual({ error: expect.any(String), code })
  })
})

describe('/v1/pools', () => {
  it.each([
    ['order=asc', [`eth ${NATIVE}`, `bsc ${PAIR}`, `bsc ${CURVE}`, `bsc ${THREE}`]],
    [`token=${WBNB}`, [`bsc ${PAIR}`, `bsc ${THREE}`]],
    [`token=${USDT}&order=desc`, [`bsc ${THREE}`, `bsc ${CURVE}`, `bsc ${PAIR}`, `eth ${NATIVE}`]],
    [`token=${hexNumber(0)}`, [`eth ${NATIVE}`]],
    ['token=', [`eth ${NATIVE}`]],
    [`token=0x${'e'.repeat(40)}&network=eth`, [`eth ${NATIVE}`]],
    ['protocol=curve', [`bsc ${THREE}`]],
    [`protocol=seeded&token=${ODD}`, [`bsc ${CURVE}`]],
    ['network=eth&min_liquidity=1', []],
  ])('?%s, page by page there and back', async (query, expected) => {
    expect(await walk(`/v1/pools?limit=1&${query}`)).toEqual(expected)
  })

  it('returns tokens, fee and state, and null for what is unknown or invalid', async () => {
    const pair = await api.get(`/v1/pools/bsc/${PAIR}`)
    expect(pair.body).toEqual({
      ...{ network: 'bsc', address: PAIR, protocol: 'seeded', factory: hexNumber(0xfac) },
      tokens: [
        { address: '0x55d398326f99059fF775485246999027B3197955', symbol: 'USDT', name: 'Tether%', decimals: '6' },
        { address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', symbol: 'WBNB', name: 'Wrapped BNB', decimals: '18' },
      ],
      ...{ fee_millionths: 2500, tick_spacing: null, hooks: null, base_token: checksumAddress(USDT), ...NO_FIGURES },
      ...{ created_at: null, created_block: null, created_tx: null, creator: null },
      state: {
        ...{ block_number: '99', kind: 'pair', balances: null, reserve0: '5', reserve1: String(2n ** 200n) },
        ...{ sqrt_price_x96: null, tick: null, liquidity: null },
      },
      ...{ not_quoted: null, price_quote: null },
    })
    const curve = await api.get(`/v1/pools/bsc/${CURVE}`)
    expect(curve.body).toMatchObject({
      ...{ fee_millionths: null, tick_spacing: 60 },
      state: { reserve0: null, reserve1: null, sqrt_price_x96: String(2n ** 96n), tick: -7, liquidity: '9' },
    })
    const three = await api.get(`/v1/pools/bsc/${THREE}`)
    expect(three.body).toMatchObject({ protocol: 'curve', state: null, not_quoted: 'hooks' })
    expect(three.body.hooks?.toLowerCase()).toBe(ODD)
    expect(three.body.tokens).toHaveLength(3)
    const native = await api.get(`/v1/pools/eth/${NATIVE}`)
    expect((await api.get(`/v1/pools/eth/${ID.toUpperCase().replace('X', 'x')}`)).body).toEqual(native.body)
    expect(native.body.tokens[0]).toEqual({ address: '', symbol: 'ETH', name: 'Ether', decimals: '18' })
    expect(native.body).toMatchObject({ state: null, not_quoted: 'unknown-rate' })
  })
})

it('/v1/tokens/{network}/{address} has the wrapper for the coin', async () => {
  const coin = await api.get(`/v1/tokens/bsc/0x${'e'.repeat(40)}`)
  expect(coin.body).toEqual((await api.get(`/v1/tokens/bsc/${WBNB}`)).body)
})

it('an id of 32 bytes that two managers have needs the manager, too', async () => {
  const another = `${hexNumber(0x3b)}${ID.slice(2)}` as const
  await seedPool(api.owner, { network: 'eth', address: another, token0: ODD, token1: USDT })
  await api.committed()
  const { status, body } = await api.get(`/v1/pools/eth/${ID}`)
  expect([status, body.code]).toEqual([400, 'invalid_parameter'])
  expect((await api.get(`/v1/pools/eth/${NATIVE}`)).body.address).toBe(NATIVE)
})

it('/v1/protocols counts the pools of each DEX', async () => {
  const { body } = await api.get('/v1/protocols')
  expect(body.data).toEqual([
    { network: 'eth', name: 'seeded', pools: 1 },
    { network: 'bsc', name: 'curve', pools: 1 },
    { network: 'bsc', name: 'seeded', pools: 2 },
  ])
})
