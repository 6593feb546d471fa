import { type Address, type PoolState, SECOND } from '@dexfeed/dex'
import { hexNumber, seedPool, seedState, seedTick, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { type ApiFixture, openFixture } from '../api-fixture.ts'
import { seedCovered } from '../seed-market.ts'

const WBNB = hexNumber(1)
const USDT = hexNumber(2)
const OTHER = hexNumber(3)
const LONG = hexNumber(4)
const END = hexNumber(5)
const E18 = 10n ** 18n
const BNB_USD = 600n

// bsc: USDT === WBNB --- OTHER 600 USD, and pools of a few cents or less
//       LONG === END                 24 equal pools; each swap passes 1,500 words of ticks
const DEEP = hexNumber(0x901)
const CENTS_9 = hexNumber(0x902)
const CENTS_11 = hexNumber(0x903)
const DOLLAR = hexNumber(0x904)
const UNPRICED = hexNumber(0x905)
const TICKS = hexNumber(0x906)
const ALIKE = Array.from({ length: 24 }, (_, n) => hexNumber(0xa00 + n))
let api: ApiFixture

/** The reserves of a pair of USDT and WBNB that holds this many cents. */
function cents(count: bigint): PoolState {
  const half = (count * E18) / 200n
  return { kind: 'pair', reserve0: half, reserve1: half / BNB_USD }
}

async function fullRange(owner: Client, pool: Address, liquidity: bigint, block: number): Promise<void> {
  const state = { kind: 'concentrated', sqrtPriceX96: 1n << 96n, tick: 0, liquidity } as const
  await seedState(owner, { network: 'bsc', pool, block, state })
  for (const side of [-1, 1]) {
    const tick = { tick: side * 887_272, gross: liquidity, net: -BigInt(side) * liquidity }
    await seedTick(owner, { network: 'bsc', pool, block, ...tick })
  }
}

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedCovered(owner, { network: 'bsc', wrapped: WBNB, stablecoins: [USDT] })
      const token = (address: Address) => ({ address, symbol: 'T', name: 'T', decimals: 18 })
      await seedTokens(owner, 'bsc', [WBNB, USDT, OTHER, LONG, END].map(token))
      for (const address of [DEEP, CENTS_9, CENTS_11, DOLLAR]) {
        await seedPool(owner, { network: 'bsc', address, token0: USDT, token1: WBNB })
      }
      await seedPool(owner, { network: 'bsc', address: UNPRICED, token0: WBNB, token1: OTHER })
      await seedPool(owner, { network: 'bsc', address: TICKS, token0: USDT, token1: WBNB, tickSpacing: 1 })
      for (const address of ALIKE) {
        await seedPool(owner, { network: 'bsc', address, token0: LONG, token1: END, tickSpacing: 1 })
        await fullRange(owner, address, 5n * 10n ** 9n, 90)
      }
      await fullRange(owner, TICKS, 10n ** 13n, 90)
      const states = [
        [DEEP, 200_000_000n],
        [CENTS_9, 9n],
        [CENTS_11, 11n],
        [DOLLAR, 100n],
        [UNPRICED, 1n],
      ] as const
      for (const [pool, held] of states) await seedState(owner, { network: 'bsc', pool, block: 90, state: cents(held) })
    },
  })
})

/** Returns the pools of USDT, WBNB and the token without a price that the API holds. */
function held(): Address[] {
  const pools = [...(api.api.feed.market('bsc')?.market.pools() ?? [])].map(({ pool }) => pool.address)
  return pools.filter((pool) => pool < hexNumber(0xa00)).sort()
}

async function changed(pool: Address, state: PoolState, block: number): Promise<void> {
  await seedState(api.owner, { network: 'bsc', pool, block, state })
  await api.owner.query(`SELECT pg_notify('dexfeed', 'bsc')`)
}

it('holds no pool of less than ten cents, and every pool of unknown value', async () => {
  expect(held()).toEqual([DEEP, CENTS_11, DOLLAR, UNPRICED])
})

it('a pool enters whole as soon as it holds enough, and leaves when it no longer does', async () => {
  await changed(CENTS_9, cents(12n), 91)
  await expect.poll(held).toContain(CENTS_9)
  await changed(CENTS_9, cents(8n), 92)
  await expect.poll(held).not.toContain(CENTS_9)
  const state = { kind: 'concentrated', sqrtPriceX96: 1n << 96n, tick: 0, liquidity: 10n ** 18n } as const
  await fullRange(api.owner, TICKS, state.liquidity, 93)
  await api.owner.query(`SELECT pg_notify('dexfeed', 'bsc')`)
  await expect.poll(held).toContain(TICKS)
  expect(api.api.feed.market('bsc')?.market.pool(TICKS)?.ticks?.size).toBe(2)
  expect(held()).toEqual([DEEP, CENTS_11, DOLLAR, UNPRICED, TICKS].sort())
})

it('a quote over its work budget is refused and counted, and others get responses', async () => {
  const path = `/api/quote?network=bsc&sellToken=${LONG}&buyToken=${END}`
  const refused = await api.get(path)
  expect(refused.status).toBe(503)
  expect(Object.keys(refused.body)).toEqual(['error'])
  expect(refused.headers.get('Retry-After')).toBe('1')
  expect(await api.registry.metrics()).toContain('dexfeed_api_quotes_over_budget_total 1\n')
  expect((await api.get(`/api/quote?network=bsc&sellToken=${WBNB}&buyToken=${USDT}`)).status).toBe(200)
  // Each attempt continues where the last one stopped.
  await expect.poll(async () => (await api.get(path)).status, { timeout: 10 * SECOND }).toBe(200)
})
