import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Address } from '../src/chain.ts'
import { bestRoute } from '../src/quote/best-route.ts'
import { createMarket, isEmptyPool, type Market, type MarketSeed } from '../src/quote/market.ts'
import { psmValues } from '../src/venues/maker-psm/quote.ts'
import { pairSeed, poolAddress, randomMarket, tokenAddress } from './random/market.ts'
import { anyMagnitude } from './random/pool.ts'

const SELL = tokenAddress(0)
const BUY = tokenAddress(1)
const TOKENS = [0, 1, 2, 3, 4].map(tokenAddress)

function put(market: Market, seed: MarketSeed): void {
  market.upsertPool(seed.pool)
  market.setState(seed.pool.address, null)
  if (seed.ticks !== undefined) market.setTicks(seed.pool.address, seed.ticks)
  market.setState(seed.pool.address, seed.state)
}

test('a market after many changes quotes like a new one', () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom('put', 'put', 'remove', 'forget', 'pass')), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(
      randomMarket(5, 14),
      randomMarket(5, 14),
      changes,
      anyMagnitude(70),
      fc.boolean(),
      (seeds, others, list, amountIn, passesAll) => {
        let passable: ReadonlySet<Address> | null = passesAll ? null : new Set(TOKENS)
        const market = createMarket(seeds, passable)
        const now = new Map(seeds.map((seed) => [seed.pool.address, seed]))
        for (const [pick, change] of list) {
          const seed = others[pick % others.length]
          if (seed === undefined) continue
          const { address } = seed.pool
          if (change === 'put') {
            put(market, seed)
            now.set(address, seed)
          } else if (change === 'pass') {
            const listed = new Set(TOKENS.filter((_, index) => pick & (1 << index)))
            for (const token of TOKENS) market.pass(token, listed.has(token) ? 'listed' : null)
            if (!passesAll) passable = listed
          } else if (change === 'remove') {
            expect(market.removePool(address)).toBe(now.delete(address))
          } else if (now.has(address)) {
            const known = now.get(address) ?? seed
            market.setState(address, null)
            now.set(address, { ...known, state: null })
          }
          // What is computed for a quote must not outlive the next change.
          bestRoute(market, { sell: SELL, buy: BUY, amountIn })
        }
        expect([...market.pools()]).toHaveLength(now.size)
        for (const [sell, buy] of [
          [SELL, BUY],
          [BUY, SELL],
          [SELL, tokenAddress(3)],
        ] as const) {
          expect(bestRoute(market, { sell, buy, amountIn })).toEqual(
            bestRoute(createMarket(now.values(), passable), { sell, buy, amountIn }),
          )
        }
      },
    ),
    { numRuns: 60 * inject('scale') },
  )
})

test('a new state, a new tick and a new fee show in the next quote', () => {
  const pair = pairSeed(1, [0, 1], [10n ** 20n, 10n ** 20n])
  const market = createMarket([pair])
  const before = bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })?.amountOut ?? 0n
  market.setState(poolAddress(1), { kind: 'pair', reserve0: 10n ** 20n, reserve1: 2n * 10n ** 20n })
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })?.amountOut).toBeGreaterThan(before)
  market.setState(poolAddress(1), pair.state)
  market.upsertPool({ ...pair.pool, fee: 10_000 })
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })?.amountOut).toBeLessThan(before)

  const pool = { ...pair.pool, address: poolAddress(2), tickSpacing: 60 }
  market.removePool(poolAddress(1))
  market.upsertPool(pool)
  market.setState(pool.address, {
    kind: 'concentrated',
    sqrtPriceX96: 1n << 96n,
    tick: 0,
    liquidity: 10n ** 21n,
  })
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })).toBeNull()
  market.applyTick(pool.address, { tick: -60, gross: 10n ** 21n, net: 10n ** 21n })
  market.applyTick(pool.address, { tick: 60, gross: 10n ** 21n, net: -(10n ** 21n) })
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })?.amountOut).toBeGreaterThan(0n)
  market.applyTick(pool.address, { tick: -60, gross: 0n, net: 0n })
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })).toBeNull()
  expect(bestRoute(market, { sell: BUY, buy: SELL, amountIn: 10n ** 18n })).not.toBeNull()
})

test('a pool is returned as it is, and an unknown one is null', () => {
  const pair = pairSeed(1, [0, 1], [1n, 2n])
  const market = createMarket([pair])
  expect(market.pool(poolAddress(1))).toMatchObject({ pool: pair.pool, state: pair.state })
  expect(market.pool(poolAddress(2))).toBeNull()
})

test('changes of unknown pools and states of the wrong kind are refused', () => {
  const market = createMarket([pairSeed(1, [0, 1], [1n, 2n])])
  expect(() => market.setState(poolAddress(2), { kind: 'pair', reserve0: 1n, reserve1: 1n })).toThrow(/has no pool/)
  expect(() => market.setTicks(poolAddress(1), [])).toThrow(/has no ticks/)
  expect(() =>
    market.setState(poolAddress(1), { kind: 'concentrated', sqrtPriceX96: 1n, tick: 0, liquidity: 1n }),
  ).toThrow(/cannot have the state/)
  expect(market.removePool(poolAddress(2))).toBe(false)
})

test('a state that changes with time alone is used until it is too old', () => {
  const values = psmValues({ daiPerGem: 1n, tin: 0n, tout: 0n, ceiling: 10n ** 9n, cash: 10n ** 9n, gems: 10n ** 9n })
  const pool = { address: poolAddress(1), token0: SELL, token1: BUY, fee: 0, tickSpacing: null, coins: [SELL, BUY] }
  const market = createMarket([{ pool, state: { kind: 'formula', formula: 'psm', values, freshUntil: 1_000 } }])
  const quote = () => bestRoute(market, { sell: SELL, buy: BUY, amountIn: 7n })?.amountOut ?? null
  market.setTime(1_000)
  expect(quote()).toBe(7n)
  market.setTime(1_001)
  expect(quote()).toBeNull()
  market.setState(pool.address, { kind: 'formula', formula: 'psm', values, freshUntil: 2_000 })
  expect(quote()).toBe(7n)
  market.setState(pool.address, { kind: 'formula', formula: 'psm', values: null, freshUntil: 2_000 })
  expect(quote()).toBeNull()
  expect(isEmptyPool(market.pool(pool.address) ?? expect.fail())).toBe(true)
})

test('a buffer, which has one coin beside its underlying token, is quoted between the two', () => {
  const large = 10n ** 40n
  const values = [1_000n, 10n ** 9n, 10n ** 9n, large, large, large]
  const state = { kind: 'formula', formula: 'balancer-v3-buffer', values, freshUntil: null } as const
  const tokens = { token0: SELL, token1: BUY, coins: [SELL], underlying: [BUY] }
  const market = createMarket([{ pool: { address: poolAddress(1), ...tokens, fee: 0, tickSpacing: null }, state }])
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 5_000n })?.amountOut).toBe(4_998n)
  expect(bestRoute(market, { sell: BUY, buy: SELL, amountIn: 5_000n })?.amountOut).toBe(4_998n)
})
