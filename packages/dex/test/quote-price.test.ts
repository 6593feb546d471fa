import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address } from '../src/chain/hex.ts'
import { marginalRoute } from '../src/quote/marginal-route.ts'
import { createMarket, type MarketSeed } from '../src/quote/market.ts'
import { compareRates, type Rate } from '../src/quote/pool-maths/rate.ts'
import { quotePrice } from '../src/quote/quote-price.ts'
import { pairSeed, poolAddress, randomMarket, simplePaths, tokenAddress } from './random-market.ts'

const SELL = tokenAddress(0)
const BUY = tokenAddress(1)

function price(seeds: readonly MarketSeed[], sellDecimals: number, buyDecimals: number) {
  const quote = quotePrice(createMarket(seeds), {
    sell: { address: SELL, decimals: sellDecimals },
    buy: { address: BUY, decimals: buyDecimals },
  })
  return quote && [quote.price, quote.basis, quote.route.map((hop) => hop.pool.address)]
}

/** Marginal rate of a pool as its definition has it. */
function rateOf({ pool, state }: MarketSeed, sell: Address): Rate | null {
  if (state === null) return null
  const zeroForOne = pool.token0 === sell
  const kept = BigInt(1_000_000 - pool.fee)
  let [numerator, denominator] =
    state.kind === 'pair' ? [state.reserve1, state.reserve0] : [state.sqrtPriceX96 ** 2n, 2n ** 192n]
  if (!zeroForOne) [numerator, denominator] = [denominator, numerator]
  if (state.kind === 'pair' ? numerator * denominator === 0n : state.liquidity === 0n) return null
  return { numerator: numerator * kept, denominator: denominator * 1_000_000n }
}

test('the best marginal rate equals trying every path', () => {
  fc.assert(
    fc.property(randomMarket(5, 14), (seeds) => {
      let best: Rate | null = null
      for (const path of simplePaths(seeds, SELL, BUY, 3)) {
        let token: Address = SELL
        let rate: Rate | null = { numerator: 1n, denominator: 1n }
        for (const seed of path) {
          const next: Rate | null = rateOf(seed, token)
          rate = rate &&
            next && {
              numerator: rate.numerator * next.numerator,
              denominator: rate.denominator * next.denominator,
            }
          token = seed.pool.token0 === token ? seed.pool.token1 : seed.pool.token0
        }
        if (rate !== null && (best === null || compareRates(rate, best) > 0)) best = rate
      }
      const route = marginalRoute(createMarket(seeds), SELL, BUY)
      expect(route === null).toBe(best === null)
      if (route !== null && best !== null) expect(compareRates(route.rate, best)).toBe(0)
    }),
    { numRuns: 500 },
  )
})

test('a price is what exactly one token buys, fee and impact included, as a plain decimal', () => {
  // 1e18 into 100e18 : 250000e6 at 0.3 %: 2467895032 base units of six decimals.
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

test('less than a thousand base units is told as the marginal rate with 18 digits', () => {
  // SHIB in WBTC: 1e18 buys less than one of 8 decimals.
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
  expect(price([dust], 18, 8)?.[1]).toBe('marginal')
})

test('there is no price without a route or where nothing can take a whole token', () => {
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
