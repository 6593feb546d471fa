import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, type Block, type Hex, ZERO_ADDRESS } from '../../../chain.ts'
import type { Dex, Pool, PoolAddress } from '../../../pool.ts'
import type { PoolEvent } from '../../../pool-event.ts'
import type { ConcentratedState, TickLiquidity } from '../../../pool-state.ts'
import { bestRoute } from '../../../quote/best-route.ts'
import { createMarket, withWrapper } from '../../../quote/market.ts'
import { blockHops, toTrades } from '../../../trades/to-trades.ts'
import type { MissingKey } from '../../protocol.ts'
import { provePool } from '../../prove-pool.ts'
import { decode, decodersOf } from '../../registry.ts'
import { UNISWAP_V4_STATE } from '../state.ts'
import { readStateOnChain, readTicksOnChain } from './read-pool-on-chain.ts'
import { startV4World, type V4Key, type V4World } from './uniswap-v4-world.ts'

const WRAPPED: Address = `0x${'ee'.repeat(20)}`
const UNIT = 10n ** 18n
let world: V4World
let dex: Dex
/** Native coin and a token, two tokens, native coin and another token. */
let keys: { native: V4Key; pair: V4Key; other: V4Key }

beforeAll(async () => {
  world = await startV4World()
  const [a, b, c] = world.tokens
  keys = {
    native: world.key(ZERO_ADDRESS, a, 500, 40),
    pair: world.key(a, b, 3000, 60),
    other: world.key(ZERO_ADDRESS, c, 100, 200),
  }
  dex = { name: 'v4', kind: 'uniswap-v4', factory: world.manager.address.toLowerCase() as Address }
  await world.initialize(keys.native, 20_003)
  await world.initialize(keys.pair, -61_234)
  await world.initialize(keys.other, 3)
  await world.provide(keys.native, 10_000, 30_000, 1_000n * UNIT)
  await world.provide(keys.native, 20_000, 20_040, 7_000n * UNIT + 1n)
  await world.provide(keys.native, 20_080, 20_160, 300n * UNIT)
  await world.provide(keys.pair, -887_220, 887_220, 500n * UNIT)
  await world.provide(keys.pair, -61_260, -61_200, 9_000n * UNIT + 7n)
  await world.provide(keys.pair, -61_500, -61_320, 77n * UNIT)
  await world.provide(keys.other, -2_000, 2_000, 4_000n * UNIT)
  await world.provide(keys.other, -200, 200, 900n * UNIT)
})

afterAll(() => world?.chain.stop())

const RULES = { wrappedNative: WRAPPED, trusted: new Set<Address>(), anchors: new Set<Address>(), settlements: [] }

async function eventsOf(txHash: string): Promise<PoolEvent[]> {
  return decode(await blockOf(txHash), decodersOf(['uniswap-v4'])).events
}

async function blockOf(txHash: string): Promise<Block> {
  const logs = await world.logsOf(txHash)
  const transactions = new Map([[0, { hash: txHash as Hex, from: world.chain.account as Address, value: 1n }]])
  return { number: 1, hash: '0x01', parentHash: '0x00', timestamp: 1, logs, transactions }
}

async function tradesOf(hash: string, pools: ReadonlyMap<PoolAddress, Pool>) {
  const block = await blockOf(hash)
  const hops = blockHops(block, await eventsOf(hash), pools, RULES)
  return toTrades(hops, RULES, new Map([[hash as Hex, block.logs]]))
}

async function prove(key: V4Key, events: PoolEvent[], of: Dex = dex): Promise<Pool | MissingKey | null> {
  const proof = provePool({ pool: world.poolOf(key), family: 'managed', events }, [of])
  let step = proof.next([])
  while (!step.done) step = proof.next(await Promise.all(step.value.map(world.read)))
  return step.value
}

async function poolOf(key: V4Key): Promise<Pool> {
  const { hooks, fee, tickSpacing, currency0, currency1 } = key
  const proof = provePool({ pool: world.poolOf(key), family: 'managed', events: [], key: { ...key } }, [dex])
  const { value } = proof.next([])
  expect(value).toEqual({
    address: world.poolOf(key),
    dex,
    token0: currency0,
    token1: currency1,
    fee,
    tickSpacing,
    ...(hooks === ZERO_ADDRESS ? {} : { hooks }),
  })
  return value as Pool
}

async function readState(pool: Pool): Promise<{ state: ConcentratedState; ticks: TickLiquidity[] }> {
  const state = await readStateOnChain(UNISWAP_V4_STATE, pool, world.read)
  if (state?.kind !== 'concentrated') throw new Error('no state')
  return { state, ticks: await readTicksOnChain(UNISWAP_V4_STATE, pool, world.read) }
}

async function marketOf(...of: V4Key[]) {
  const seeds = []
  for (const key of of) {
    const pool = await poolOf(key)
    seeds.push({ pool: withWrapper(pool, WRAPPED), ...(await readState(pool)) })
  }
  return createMarket(seeds)
}

const wrapped = (currency: Address) => (currency === ZERO_ADDRESS ? WRAPPED : currency)
const tokensOf = ({ currency0, currency1 }: V4Key, zeroForOne: boolean) => ({
  sell: wrapped(zeroForOne ? currency0 : currency1),
  buy: wrapped(zeroForOne ? currency1 : currency0),
})

test('quotes equal V4Quoter and the executed swap to the wei, and its event has the pool’s point of view', async () => {
  let crossed = 0
  for (const name of ['native', 'pair', 'other'] as const) {
    const key = keys[name]
    for (const zeroForOne of [true, false, false, true]) {
      for (const amountIn of [12_345_678_901n, UNIT + 7n, 60n * UNIT + 1n]) {
        const market = await marketOf(key)
        const before = market.pool(world.poolOf(key))?.state
        const route = bestRoute(market, { ...tokensOf(key, zeroForOne), amountIn, maxHops: 1 })
        expect(route?.amountOut).toBe(await world.quote(key, zeroForOne, amountIn))
        const events = await eventsOf(await world.swap(key, zeroForOne, amountIn))
        const paid = -(route?.amountOut ?? 0n)
        const [amount0, amount1] = zeroForOne ? [amountIn, paid] : [paid, amountIn]
        const { state } = await readState(await poolOf(key))
        const pool = world.poolOf(key)
        expect(events).toMatchObject([{ type: 'swap', family: 'managed', pool, amount0, amount1, state }])
        if (before?.kind === 'concentrated' && state.liquidity !== before.liquidity) crossed++
      }
    }
  }
  expect(crossed).toBeGreaterThan(3)
})

test('they do so where the protocol takes its share, another one in either direction', async () => {
  await world.setProtocolFee(keys.pair, 1000, 321)
  const { state } = await readState(await poolOf(keys.pair))
  expect(state.fee).toEqual({ zeroForOne: 3997, oneForZero: 3321, exact: true })
  for (const zeroForOne of [true, false]) {
    for (const amountIn of [999n, 987_654_321n, 3n * UNIT + 5n]) {
      const tokens = tokensOf(keys.pair, zeroForOne)
      const route = bestRoute(await marketOf(keys.pair), { ...tokens, amountIn, maxHops: 1 })
      const quoted = await world.quote(keys.pair, zeroForOne, amountIn)
      expect(route?.amountOut ?? 0n).toBe(quoted)
      await world.swap(keys.pair, zeroForOne, amountIn)
    }
  }
  await world.setProtocolFee(keys.pair, 0, 0)
})

test('a route through the coin is one trade, quoted to the wei, and the coin is its wrapper on the way', async () => {
  const [a, , c] = world.tokens
  const amountIn = 3n * UNIT
  const route = bestRoute(await marketOf(keys.native, keys.other), { sell: a, buy: c, amountIn })
  expect(route?.hops.map(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])).toEqual([
    [a, WRAPPED],
    [WRAPPED, c],
  ])
  const hash = await world.swapAlong(
    [
      [keys.native, false],
      [keys.other, true],
    ],
    amountIn,
  )
  const pools = new Map([await poolOf(keys.native), await poolOf(keys.other)].map((pool) => [pool.address, pool]))
  const trades = await tradesOf(hash, pools)
  expect(trades).toMatchObject([
    {
      trader: world.chain.account,
      sell: { token: a, amount: amountIn, native: false },
      buy: { token: c, amount: route?.amountOut, native: false },
    },
  ])
  expect(trades[0]?.hops).toHaveLength(2)
})

test('the coin itself is a native leg, sold or bought', async () => {
  const pool = await poolOf(keys.native)
  const legs = []
  for (const zeroForOne of [true, false]) {
    const hash = await world.swap(keys.native, zeroForOne, UNIT)
    for (const { sell, buy } of await tradesOf(hash, new Map([[pool.address, pool]])))
      legs.push([sell.token, sell.native, buy.token, buy.native])
  }
  const [a] = world.tokens
  expect(legs).toEqual([
    [WRAPPED, true, a, false],
    [a, false, WRAPPED, true],
  ])
})

test('the event that created a pool verifies it, or the position manager does, or it requests the log', async () => {
  const [a] = world.tokens
  const fresh = world.key(ZERO_ADDRESS, a, 3000, 60)
  await world.initialize(fresh, 60)
  const made = (await world.chain.rpc('eth_getBlockByNumber', ['latest', false])) as { transactions: [string] }
  const [initialize] = await eventsOf(made.transactions[0])
  if (initialize?.type !== 'initialize') throw new Error('no Initialize')
  expect(await prove(fresh, [initialize])).toEqual(await poolOf(fresh))

  const positionManager = world.positionManager.address.toLowerCase() as Address
  const withManager = { ...dex, contracts: { positionManager } }
  const expected = { keyLog: { address: dex.factory, topic: expect.stringMatching(/^0xdd466e67/) } }
  expect(await prove(fresh, [], dex)).toEqual(expected)
  expect(await prove(fresh, [], withManager)).toEqual(expected)
  await world.provideNative(fresh, 120, 600, UNIT)
  expect(await prove(fresh, [], withManager)).toEqual({ ...(await poolOf(fresh)), dex: withManager })
})

test('a key that does not hash to the id, and events of another contract, prove nothing', async () => {
  const forged = { ...keys.pair, currency0: world.tokens[2] }
  const event = { type: 'created', family: 'managed', pool: world.poolOf(keys.pair), key: forged } as const
  const events = [{ ...event, transactionIndex: 0, logIndex: 0 }]
  expect(await prove(keys.pair, events)).toMatchObject({ keyLog: { address: dex.factory } })
  const { pair } = keys
  expect(await prove(pair, [], { ...dex, factory: `0x${'12'.repeat(20)}` })).toBe(null)
})

test('liquidity added and removed moves the ticks as in the events', async () => {
  const { pair } = keys
  const before = await readState(await poolOf(pair))
  await world.provide(pair, 600, 1200, 5n * UNIT)
  const made = (await world.chain.rpc('eth_getBlockByNumber', ['latest', false])) as { transactions: [string] }
  expect(await eventsOf(made.transactions[0])).toMatchObject([
    { type: 'liquidity', pool: world.poolOf(pair), tickLower: 600, tickUpper: 1200, delta: 5n * UNIT },
  ])
  expect((await readState(await poolOf(pair))).ticks).toEqual([
    ...before.ticks.slice(0, -1),
    { tick: 600, gross: 5n * UNIT, net: 5n * UNIT },
    { tick: 1200, gross: 5n * UNIT, net: -5n * UNIT },
    ...before.ticks.slice(-1),
  ])
  await world.provide(pair, 600, 1200, -5n * UNIT)
  expect(await readState(await poolOf(pair))).toEqual(before)
})

test('swaps through liquidity that its transaction put in and takes out are marked, those beside it are not', async () => {
  const pools = new Map([[world.poolOf(keys.pair), await poolOf(keys.pair)]])
  const marks = async (hash: string) =>
    blockHops(await blockOf(hash), await eventsOf(hash), pools, RULES).transactions.flatMap(({ hops }) =>
      hops.map(({ isOfJitLiquidity }) => isOfJitLiquidity ?? false),
    )
  const around = [-887_220, 887_220] as const
  expect(await marks(await world.swapInPassing(keys.pair, around, 10n ** 24n, UNIT))).toEqual([true, true])
  expect(await marks(await world.swapInPassing(keys.pair, [-887_220, -600_000], 10n ** 20n, UNIT))).toEqual([
    false,
    false,
  ])
  expect(await marks(await world.swap(keys.pair, true, UNIT))).toEqual([false])
})
