import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Address } from '../src/chain.ts'
import { getSqrtRatioAtTick, getTickAtSqrtRatio } from '../src/maths/tick-math.ts'
import { marginalRoute } from '../src/quote/marginal-route.ts'
import { createMarket, type MarketSeed } from '../src/quote/market.ts'
import { compareRates, type Rate } from '../src/quote/pool-maths/pool-in-state.ts'
import { quotePrice } from '../src/quote/quote-price.ts'
import {
  pairSeed,
  poolAddress,
  quoteSeed,
  randomMarket,
  simplePaths,
  TWO_PATHS,
  tokenAddress,
} from './random/market.ts'
import { anyMagnitude, stateOf, ticksOf } from './random/pool.ts'

const SELL = tokenAddress(0)
const BUY = tokenAddress(1)

function price(seeds: readonly MarketSeed[], sellDecimals: number, buyDecimals: number) {
  const quote = quotePrice(createMarket(seeds), {
    sell: { address: SELL, decimals: sellDecimals },
    buy: { address: BUY, decimals: buyDecimals },
  })
  return quote && [quote.price, quote.basis, quote.route.map((hop) => hop.pool.address)]
}

/** Returns the marginal rate of a pool by definition. */
function rateOf({ pool, state }: MarketSeed, sell: Address): Rate | null {
  if (state === null || state.kind === 'formula') return null
  const zeroForOne = pool.token0 === sell
  const kept = BigInt(1_000_000 - pool.fee)
  let [numerator, denominator] =
    state.kind === 'pair' ? [state.reserve1, state.reserve0] : [state.sqrtPriceX96 ** 2n, 2n ** 192n]
  if (!zeroForOne) [numerator, denominator] = [denominator, numerator]
  if (state.kind === 'pair' ? numerator * denominator === 0n : state.liquidity === 0n) return null
  return { numerator: numerator * kept, denominator: denominator * 1_000_000n }
}

/**
 * Returns the rate of a path if all its pools carry the required amounts and `coarse` is worth less than 2,000 base
 * units.
 */
function carriedRate(path: readonly MarketSeed[], coarse: bigint): Rate | null {
  const hops: { seed: MarketSeed; sell: Address; rate: Rate }[] = []
  let token: Address = SELL
  for (const seed of path) {
    const rate = rateOf(seed, token)
    if (rate === null) return null
    hops.push({ seed, sell: token, rate })
    token = seed.pool.token0 === token ? seed.pool.token1 : seed.pool.token0
  }
  let behind: Rate = { numerator: 1n, denominator: 1n }
  for (const { seed, sell, rate } of hops.toReversed()) {
    const enough = (1000n * behind.denominator + behind.numerator - 1n) / behind.numerator
    const amount = ((enough < 1000n ? 1000n : enough) * rate.denominator + rate.numerator - 1n) / rate.numerator
    const [paid, worth] = [(quoteSeed(seed, sell, amount) ?? 0n) * rate.denominator, amount * rate.numerator]
    // This close to one half, rounding decides.
    fc.pre(100n * paid < 49n * worth || 100n * paid > 51n * worth)
    if (2n * paid < worth) return null
    behind = { numerator: behind.numerator * rate.numerator, denominator: behind.denominator * rate.denominator }
  }
  return coarse * behind.numerator < 2000n * behind.denominator ? behind : null
}

const sold = fc.oneof(fc.constant(1n), anyMagnitude(30))

/**
 * Returns whether the pool's prices can be represented finely enough. If thousands of base units lie between two
 * representable prices, depth is meaningless.
 */
function isWritable({ state, ticks = [] }: MarketSeed): boolean {
  return state?.kind !== 'concentrated' || [...ticks].every(({ gross }) => gross < 2n ** 84n)
}

test.each([
  ['dense', 4, 14],
  ['sparse', 6, 16],
])('the best marginal rate of a %s market equals trying every path that carries an amount', (_, tokens, pools) => {
  const compared = (drawn: readonly MarketSeed[], coarse: bigint) => {
    const seeds = drawn.filter(isWritable)
    let best: Rate | null = null
    for (const path of simplePaths(seeds, SELL, BUY, 3)) {
      const rate = carriedRate(path, coarse)
      if (rate !== null && (best === null || compareRates(rate, best) > 0)) best = rate
    }
    const route = marginalRoute(createMarket(seeds), { sell: SELL, buy: BUY, coarse })
    expect(route === null).toBe(best === null)
    if (route === null || best === null) return null
    expect(compareRates(route.rate, best)).toBe(0)
    expect(route.hops[0]?.tokenIn).toBe(SELL)
    expect(route.hops.at(-1)?.tokenOut).toBe(BUY)
    return route
  }
  expect(compared(TWO_PATHS, 1n)?.hops).toHaveLength(2)
  fc.assert(
    fc.property(randomMarket(tokens, pools), sold, (...market) => void compared(...market)),
    { numRuns: 140 * inject('scale') },
  )
})

/** Draws pools at any price that hold fewer than 500 base units of either token, so that no pool carries an amount. */
const dust = fc
  .array(
    fc.record({
      ends: fc.constantFrom<[number, number]>([0, 1], [0, 2], [2, 1], [3, 2], [1, 3], [0, 3]),
      tick: fc.integer({ min: -150_000, max: 150_000 }),
      held: fc.tuple(fc.bigInt({ min: 1n, max: 499n }), fc.bigInt({ min: 1n, max: 499n })),
      isPair: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drawn) =>
    drawn.map(({ ends, tick, held, isPair }, index): MarketSeed => {
      const pair = pairSeed(1_000 + index, ends, held)
      if (isPair) return pair
      const near = Math.floor(tick / 60) * 60
      const ticks = ticksOf([{ lower: near - 60, upper: near + 120, liquidity: 1_000n }])
      return { pool: { ...pair.pool, tickSpacing: 60 }, state: stateOf(ticks, tick, getSqrtRatioAtTick(tick)), ticks }
    }),
  )
  .filter((seeds) => seeds.every(isDust))

/** Returns whether fewer than 500 base units come out for any input. */
function isDust(seed: MarketSeed): boolean {
  const { token0, token1 } = seed.pool
  const maxOutput = (sell: Address) => {
    let [out, amount] = [0n, 1n]
    for (let next: bigint | null = 0n; next !== null && amount < 2n ** 200n; amount *= 2n) {
      next = quoteSeed(seed, sell, amount)
      out = next ?? out
    }
    return out
  }
  return 2n * maxOutput(token0) < 1000n && 2n * maxOutput(token1) < 1000n
}

test('pools that cannot carry an amount never change the marginal rate', () => {
  const compared = (seeds: readonly MarketSeed[], pools: readonly MarketSeed[], coarse: bigint) => {
    const rate = (of: readonly MarketSeed[]) => marginalRoute(createMarket(of), { sell: SELL, buy: BUY, coarse })
    expect(rate([...seeds, ...pools])).toEqual(rate(seeds))
    return rate(seeds)
  }
  expect(compared(TWO_PATHS, [pairSeed(9, [0, 1], [1n, 499n])], 1n)).not.toBeNull()
  fc.assert(
    fc.property(randomMarket(4, 10), dust, anyMagnitude(70), (...market) => void compared(...market)),
    { numRuns: 100 * inject('scale') },
  )
})

test('a price is what exactly one token buys, fee and impact included, as a plain decimal', () => {
  // Selling 1e18 to a pool of 100e18 and 250000e6 at 0.3 % gives 2467895032 base units of six decimals.
  const seeds = [pairSeed(1, [0, 1], [100n * 10n ** 18n, 250_000n * 10n ** 6n])]
  expect(price(seeds, 18, 6)).toEqual(['2467.895085', 'exact', [poolAddress(1)]])
  expect(price([pairSeed(1, [0, 1], [10n ** 30n, 10n ** 30n])], 18, 18)?.[0]).toBe('0.996999999999005991')
})

test('a price has no trailing zeros, no exponent, and a digit before the point', () => {
  const even = (reserve1: bigint) => [{ ...pairSeed(1, [0, 1], [10n ** 60n, reserve1]) }]
  const free = (seeds: MarketSeed[]) => seeds.map((seed) => ({ ...seed, pool: { ...seed.pool, fee: 500_000 } }))
  // Half of the input is the fee, so the rates are round; the last unit is lost to rounding down.
  expect(price(free(even(2n * 10n ** 60n + 10n ** 50n)), 6, 6)?.[0]).toBe('1')
  expect(price(free(even(10n ** 60n + 10n ** 50n)), 6, 6)?.[0]).toBe('0.5')
  expect(price(free(even(10n ** 66n + 10n ** 51n)), 6, 0)?.[0]).toBe('500000000000')
})

test('less than a thousand base units is quoted as the marginal rate with 18 digits', () => {
  // SHIB in WBTC: 1e18 base units buy less than one base unit of 8 decimals.
  const seeds = [pairSeed(1, [0, 1], [3n * 10n ** 29n, 7n * 10n ** 8n])]
  expect(price(seeds, 18, 8)).toEqual(['0.0000000000232633333333333333', 'marginal', [poolAddress(1)]])
  const atLimit = (reserve1: bigint) => price([pairSeed(1, [0, 1], [10n ** 40n, reserve1])], 18, 8)
  expect(atLimit(10n ** 25n + 10n ** 23n)).toEqual(['0.00001006', 'exact', [poolAddress(1)]])
  expect(atLimit(10n ** 25n)).toEqual(['0.00000997', 'marginal', [poolAddress(1)]])
})

test('a pool of a few base units does not make the marginal price', () => {
  const deep = pairSeed(1, [0, 1], [3n * 10n ** 29n, 7n * 10n ** 8n])
  const dust = pairSeed(2, [0, 1], [1000n, 1000n])
  expect(price([deep, dust], 18, 8)).toEqual(price([deep], 18, 8))
  expect(price([dust], 18, 8)).toBeNull()
})

//   WPOL --- V2, 0.0157 of 2 decimals ---> BUY
//      '---- V3, 50 times the price, 1,000 of liquidity ---'
test.each([0, 2])('dust at fifty times the price does not make that of a token of %i decimals', (decimals) => {
  const deep = pairSeed(1, [0, 1], [10n ** 24n, 15_747n * 10n ** BigInt(decimals)])
  const ticks = ticksOf([{ lower: -887_220, upper: 887_220, liquidity: 1_000n }])
  const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(0.7996 * 10 ** (decimals - 18)) * 2 ** 96))
  const dust: MarketSeed = {
    pool: { ...deep.pool, address: poolAddress(2), tickSpacing: 60 },
    state: stateOf(ticks, getTickAtSqrtRatio(sqrtPriceX96), sqrtPriceX96),
    ticks,
  }
  expect(price([deep, dust], 18, decimals)?.slice(0, 2)).toEqual(['0.015699759', 'marginal'])
  expect(price([dust], 18, decimals)).toBeNull()
})

test('an intermediate token of few units carries the amount that its pools can pay', () => {
  // 1.0 is worth 1/100 of a base unit of the intermediate token, of which one unit is worth 100 units of the token
  // bought.
  const coarse = [pairSeed(1, [0, 2], [10n ** 30n, 10n ** 10n]), pairSeed(2, [1, 2], [10n ** 14n, 10n ** 12n])]
  expect(price(coarse, 18, 0)?.slice(0, 2)).toEqual(['0.994009', 'marginal'])
})

test('there is not a price without a route, or if no route can take a whole token', () => {
  expect(price([], 18, 18)).toBeNull()
  expect(price([pairSeed(1, [0, 2], [10n ** 20n, 10n ** 20n])], 18, 18)).toBeNull()
  const ticks = [
    { tick: -60, gross: 10n ** 9n, net: 10n ** 9n },
    { tick: 60, gross: 10n ** 9n, net: -(10n ** 9n) },
  ]
  const shallow: MarketSeed = {
    pool: { ...pairSeed(1, [0, 1], [1n, 1n]).pool, tickSpacing: 60 },
    state: { kind: 'concentrated', sqrtPriceX96: 1n << 96n, tick: 0, liquidity: 10n ** 9n },
    ticks,
  }
  expect(price([shallow], 18, 18)).toBeNull()
})

test('marginal prices of any magnitude have 18 digits rounded down', () => {
  const reserve = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n })
  fc.assert(
    fc.property(reserve, reserve, fc.nat({ max: 77 }), fc.nat({ max: 77 }), (reserve0, reserve1, sell, buy) => {
      const quote = price([pairSeed(1, [0, 1], [reserve0, reserve1])], sell, buy)
      if (quote === null) return
      const [text, basis] = quote as [string, string]
      expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
      if (basis !== 'marginal') return
      const [whole = '', fraction = ''] = text.split('.')
      const units = BigInt(whole + fraction)
      const numerator = reserve1 * 997n * 10n ** BigInt(sell) * 10n ** BigInt(fraction.length)
      const denominator = reserve0 * 1000n * 10n ** BigInt(buy)
      const digits = units.toString().length
      expect(units * denominator <= numerator).toBe(true)
      // One more in the 18th digit would be too much.
      const last = digits <= 18 ? 10n ** 0n : 10n ** BigInt(digits - 18)
      const scale = 10n ** BigInt(Math.max(0, 18 - digits))
      expect((units * scale + last) * denominator > numerator * scale).toBe(true)
    }),
  )
})
