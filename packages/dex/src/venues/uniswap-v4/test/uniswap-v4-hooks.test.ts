import { createRequire } from 'node:module'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Address } from '../../../chain.ts'
import type { Dex, Pool } from '../../../pool.ts'
import { bestRoute } from '../../../quote/best-route.ts'
import { stateReadingOf } from '../../registry.ts'
import { readPoolOnChain } from './read-pool-on-chain.ts'
import { startV4World, type V4Key, type V4World } from './uniswap-v4-world.ts'

const load = createRequire(import.meta.url)
const ACCEPTS_EVERYTHING = load('@uniswap/v4-core/out/EmptyTestHooks.sol/EmptyTestHooks.json').deployedBytecode.object
const UNIT = 10n ** 18n
const MAX_TICK = 887_272
const QUOTES_PER_POOL = 50
const QUOTES = 200 * inject('scale')

/** Rights of v4-core Hooks, from the lowest bit. */
const RIGHTS = [
  'afterRemoveLiquidityReturnsDelta',
  'afterAddLiquidityReturnsDelta',
  'afterSwapReturnsDelta',
  'beforeSwapReturnsDelta',
  'afterDonate',
  'beforeDonate',
  'afterSwap',
  'beforeSwap',
  'afterRemoveLiquidity',
  'beforeRemoveLiquidity',
  'afterAddLiquidity',
  'beforeAddLiquidity',
  'afterInitialize',
  'beforeInitialize',
] as const
const OUTSIDE_SWAPS = RIGHTS.filter((right) => !right.includes('Swap'))

let world: V4World
let dex: Dex
let made = 0

beforeAll(async () => {
  world = await startV4World()
  dex = { name: 'v4', kind: 'uniswap-v4', factory: world.manager.address.toLowerCase() as Address }
})

afterAll(() => world?.chain.stop())

/** Returns an address of hooks with these rights. The right to return amounts requires the right to be called. */
function hooksWith(rights: readonly string[]): Address {
  const all = rights.flatMap((right) => [right, right.replace('ReturnsDelta', '')])
  const bits = RIGHTS.reduce((sum, right, bit) => sum | (all.includes(right) ? 1 << bit : 0), 0)
  return `0x${((7n << 150n) | (BigInt(++made) << 80n) | BigInt(bits)).toString(16).padStart(40, '0')}`
}

function poolOf(key: V4Key, fee = key.fee): Pool {
  const { currency0: token0, currency1: token1, tickSpacing, hooks } = key
  return { address: world.poolOf(key), dex, token0, token1, fee, tickSpacing, hooks }
}

const place = fc.integer({ min: -60_000, max: 60_000 })
const position = fc.record({
  from: fc.integer({ min: -300, max: 250 }),
  width: fc.integer({ min: 1, max: 300 }),
  liquidity: fc.bigInt({ min: UNIT, max: 10n ** 24n }),
})
const fee = fc.constantFrom(1, 100, 500, 3_000, 10_000, 350_000)
const amountIn = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 24n }), fc.bigInt({ min: 1n, max: UNIT / 10_000n }))
const trade = fc.record({ zeroForOne: fc.boolean(), amountIn })
/** A position around the pool's price, so that a small trade finds liquidity in both directions. */
const AT_THE_PRICE = { from: -1, width: 2, liquidity: UNIT }
const SMALL = [true, false].map((zeroForOne) => ({ zeroForOne, amountIn: UNIT / 1_000_000n }))

test('pools with hooks that are called outside swaps are quoted as V4Quoter does, and as they are executed', async () => {
  const [a, b] = world.tokens
  const pools = fc.record({
    rights: fc.subarray([...OUTSIDE_SWAPS], { minLength: 1 }),
    fee,
    spacing: fc.constantFrom(10, 60, 60, 60, 200, 2_000),
    place,
    positions: fc.array(position, { minLength: 1, maxLength: 4 }),
    trades: fc.array(trade, { minLength: QUOTES_PER_POOL, maxLength: QUOTES_PER_POOL }),
  })
  await fc.assert(
    fc.asyncProperty(pools, async ({ rights, fee, spacing, place, positions, trades }) => {
      const hooks = hooksWith(rights)
      await world.chain.rpc('anvil_setCode', [hooks, ACCEPTS_EVERYTHING])
      const key = world.key(a, b, fee, spacing, hooks)
      const pool = poolOf(key)
      await world.initialize(key, place)
      const middle = Math.floor(place / spacing)
      for (const { from, width, liquidity } of [AT_THE_PRICE, ...positions]) {
        const maxIndex = Math.floor(MAX_TICK / spacing)
        const [lower, upper] = [Math.max(middle + from, -maxIndex), Math.min(middle + from + width, maxIndex)]
        if (lower < upper) await world.provide(key, lower * spacing, upper * spacing, liquidity)
      }
      let market = await readPoolOnChain(pool, world.read)
      for (const [index, { zeroForOne, amountIn }] of [...SMALL, ...trades].entries()) {
        const [tokenIn, tokenOut] = zeroForOne ? [a, b] : [b, a]
        const route = bestRoute(market, { sell: tokenIn, buy: tokenOut, amountIn, maxHops: 1 })
        const quoted = await world.quote(key, zeroForOne, amountIn).catch(() => null)
        if (route === null) {
          expect(quoted ?? 0n).toBe(0n)
          expect(index).toBeGreaterThanOrEqual(SMALL.length)
          continue
        }
        expect(route.amountOut).toBe(quoted)
        if (index % 17 > 0) continue
        await world.swap(key, zeroForOne, amountIn)
        market = await readPoolOnChain(pool, world.read)
      }
    }),
    { numRuns: Math.ceil(QUOTES / QUOTES_PER_POOL), endOnFailure: true },
  )
}, 3_600_000)

test('pools are not quoted if their hooks are called in swaps, whatever else they may do', () => {
  const inSwaps = RIGHTS.filter((right) => right.includes('Swap'))
  const rights = fc.tuple(fc.subarray([...RIGHTS]), fc.constantFrom(...inSwaps))
  fc.assert(
    fc.property(rights, ([others, one]) => {
      const [a, b] = world.tokens
      const pool = poolOf(world.key(a, b, 3_000, 60, hooksWith([...others, one])))
      expect(stateReadingOf(pool)).toBeNull()
    }),
  )
})

test('a pool is not quoted if its hooks may set its fee', () => {
  const [a, b] = world.tokens
  const key = world.key(a, b, 0x80_0000, 60, hooksWith(['afterInitialize']))
  expect(stateReadingOf(poolOf(key, 3_000))).not.toBeNull()
  expect(stateReadingOf(poolOf(key, 0))).toBeNull()
})
