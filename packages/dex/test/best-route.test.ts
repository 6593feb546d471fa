import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Address } from '../src/chain.ts'
import { bestRoute } from '../src/quote/best-route.ts'
import { marginalRoute } from '../src/quote/marginal-route.ts'
import { createMarket, type MarketSeed } from '../src/quote/market.ts'
import { pairSeed, poolAddress, quoteSeed, randomMarket, TWO_PATHS, tokenAddress } from './random/market.ts'
import { bestOfAllPaths } from './random/paths.ts'
import { anyMagnitude, stateOf, ticksOf } from './random/pool.ts'

const SELL = tokenAddress(0)
const BUY = tokenAddress(1)

function found(
  seeds: readonly MarketSeed[],
  amountIn: bigint,
  maxHops: 1 | 2 | 3 = 3,
  passable: ReadonlySet<Address> | null = null,
) {
  return bestRoute(createMarket(seeds, passable), { sell: SELL, buy: BUY, amountIn, maxHops })
}

const passables = fc.option(
  fc.subarray([2, 3, 4, 5, 6]).map((some) => new Set(some.map(tokenAddress))),
  { freq: 2 },
)
const hops = fc.constantFrom<1 | 2 | 3>(1, 2, 3, 3, 3)

test.each([
  ['dense', 4, 14],
  ['sparse', 7, 16],
])('the best route of a %s market equals trying every path', (_, tokens, pools) => {
  const compared = (...market: Parameters<typeof bestOfAllPaths>) => {
    const route = found(...market)
    expect(route && { amountOut: route.amountOut, hops: route.hops.length }).toEqual(bestOfAllPaths(...market))
    return route
  }
  expect(compared(TWO_PATHS, 10n ** 18n, 3, null)?.hops).toHaveLength(2)
  fc.assert(
    fc.property(
      randomMarket(tokens, pools),
      anyMagnitude(90),
      hops,
      passables,
      (...market) => void compared(...market),
    ),
    { numRuns: 200 * inject('scale') },
  )
})

test('the hops of a route follow one another and pay what their pools quote', () => {
  fc.assert(
    fc.property(randomMarket(5, 16), anyMagnitude(80), (seeds, amountIn) => {
      const route = found(seeds, amountIn)
      let token: Address = SELL
      let amount = amountIn
      for (const hop of route?.hops ?? []) {
        expect([hop.tokenIn, hop.amountIn]).toEqual([token, amount])
        const seed = seeds.find(({ pool }) => pool.address === hop.pool.address)
        expect(seed && quoteSeed(seed, token, amount)).toBe(hop.amountOut)
        token = hop.tokenOut
        amount = hop.amountOut
      }
      if (route !== null) expect([token, amount]).toEqual([BUY, route.amountOut])
    }),
    { numRuns: 40 * inject('scale') },
  )
})

test('the order in which pools became known changes nothing', () => {
  fc.assert(
    fc.property(
      randomMarket(5, 16).chain((seeds) =>
        fc.tuple(fc.constant(seeds), fc.shuffledSubarray(seeds, { minLength: seeds.length })),
      ),
      anyMagnitude(40),
      ([seeds, shuffled], amountIn) => {
        expect(found(shuffled, amountIn)).toEqual(found(seeds, amountIn))
      },
    ),
    { numRuns: 60 * inject('scale') },
  )
})

test('equal outputs go to fewer hops, then to the lower pool address', () => {
  const deep: readonly [bigint, bigint] = [10n ** 24n, 10n ** 24n]
  const twins = [pairSeed(7, [0, 1], deep), pairSeed(3, [0, 1], deep), pairSeed(5, [0, 1], deep)]
  expect(found(twins, 10n ** 18n)?.hops.map((hop) => hop.pool.address)).toEqual([poolAddress(3)])

  // One base unit of output, over two hops as well as directly.
  const small = [
    pairSeed(1, [0, 2], [1000n, 100_000n]),
    pairSeed(2, [1, 2], [10n, 100_000n]),
    pairSeed(9, [0, 1], [1000n, 10n]),
  ]
  const direct = found(small, 130n)
  expect(direct?.amountOut).toBe(1n)
  expect(direct?.hops.map((hop) => hop.pool.address)).toEqual([poolAddress(9)])
})

function shallowPool(token: number): MarketSeed {
  const ticks = ticksOf([{ lower: -60, upper: 60, liquidity: 10n ** 21n }])
  return {
    pool: {
      address: poolAddress(9),
      token0: BUY,
      token1: tokenAddress(token),
      fee: 3000,
      tickSpacing: 60,
    },
    state: stateOf(ticks, 0, 1n << 96n),
    ticks,
  }
}

//   SELL --+-- rich ---> X -- shallow V3 --> BUY
//          +-- poor ---/
//
// The output of the rich pool exhausts the V3 pool, that of the poor one does not.
test('a pool that the greater amount exhausts is entered with a smaller one', () => {
  const shallow = shallowPool(2)
  const rich = pairSeed(1, [0, 2], [10n ** 24n, 10n ** 24n])
  const poor = pairSeed(2, [0, 2], [10n ** 24n, 10n ** 22n])
  const amountIn = 10n ** 20n
  expect(found([rich, shallow], amountIn)).toBeNull()
  expect(found([rich, poor, shallow], amountIn)?.hops.map((hop) => hop.pool.address)).toEqual([
    poolAddress(2),
    poolAddress(9),
  ])
})

//   SELL --+--> X1 -- rich --+--> Y -- shallow V3, holds 3.0 --> BUY
//          +--> X2 -- poor --+                                    |
//          +--------------------------- other -------------------+
//
// The rich path exhausts the V3 pool, and the other pool pays less than the V3 pool holds: the poor path still counts.
test('an exhausted pool is given up only when all that it holds is too little', () => {
  const deep: readonly [bigint, bigint] = [10n ** 26n, 10n ** 26n]
  const rich = [pairSeed(1, [0, 2], deep), pairSeed(2, [2, 4], deep)]
  const poor = [pairSeed(3, [0, 3], deep), pairSeed(4, [3, 4], [10n ** 26n, 28n * 10n ** 23n])]
  const route = (other: bigint) =>
    found([...rich, ...poor, shallowPool(4), pairSeed(5, [0, 1], [10n ** 26n, other])], 10n ** 20n)?.hops.length
  expect(route(20n * 10n ** 23n)).toBe(3)
  expect(route(40n * 10n ** 23n)).toBe(1)
})

//   SELL --- X --- BUY       X may be sold and bought, and no route leads through it
test('a token that is not passable is an end of routes, and never between', () => {
  const deep: readonly [bigint, bigint] = [10n ** 24n, 10n ** 24n]
  const seeds = [pairSeed(1, [0, 2], deep), pairSeed(2, [1, 2], deep)]
  expect(found(seeds, 10n ** 18n)?.hops).toHaveLength(2)
  const market = createMarket(seeds, new Set())
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })).toBeNull()
  expect(marginalRoute(market, { sell: SELL, buy: BUY, coarse: 1n })).toBeNull()
  for (const [sell, buy] of [
    [SELL, tokenAddress(2)],
    [tokenAddress(2), BUY],
  ] as const) {
    expect(bestRoute(market, { sell, buy, amountIn: 10n ** 18n })?.hops).toHaveLength(1)
  }
  market.pass(tokenAddress(2), 'listed')
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })?.hops).toHaveLength(2)
})

test('without a path no route is found', () => {
  const market = createMarket([pairSeed(1, [0, 2], [10n ** 20n, 10n ** 20n])])
  expect(bestRoute(market, { sell: SELL, buy: BUY, amountIn: 10n ** 18n })).toBeNull()
  expect(bestRoute(market, { sell: SELL, buy: SELL, amountIn: 10n ** 18n })).toBeNull()
  expect(bestRoute(market, { sell: SELL, buy: tokenAddress(2), amountIn: 0n })).toBeNull()
  expect(bestRoute(market, { sell: SELL, buy: tokenAddress(2), amountIn: 1n })).toBeNull()
})
