import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Address } from '../../src/chain.ts'
import { type AmountQuote, quoteAmount } from '../../src/quote/amounts/quote-amount.ts'
import { createMarket, type MarketSeed } from '../../src/quote/market.ts'
import { QuoteWork } from '../../src/quote/quote-work.ts'
import {
  areMoved,
  pairSeed,
  poolAddress,
  quoteSeed,
  randomMarket,
  simplePaths,
  tokenAddress,
} from '../random/market.ts'
import { mixedMarket } from '../random/mixed-market.ts'
import { amountAlong, disjointSets, type Path } from '../random/paths.ts'
import { tightMarket } from '../random/tight-market.ts'

const SELL = tokenAddress(0)
const BUY = tokenAddress(1)
/** A fraction of the random markets is compared with a limit, so every run must draw the same markets. */
const SEED = 34
const RUNS = 12 * inject('scale')
const MIN_GAIN = 0.0002
const STEPS = 48

/** From 1/1,000 to 30 times 10^18. */
const sizes = fc.integer({ min: -3000, max: 1500 }).map((size) => BigInt(Math.round(1e18 * 10 ** (size / 1000))))
const splits = fc.constantFrom<2 | 3 | 4>(2, 3, 4)
const sides = fc.constantFrom('in', 'out')

function quoted(seeds: readonly MarketSeed[], amount: bigint, side: 'in' | 'out', maxSplits: 1 | 2 | 3 | 4) {
  return quoteAmount(createMarket(seeds), { sell: SELL, buy: BUY, amount, side, maxHops: 3, maxSplits })
}

/**
 * Executes the parts in sequence. A pool that is used twice would no longer be in the state for which it was quoted.
 */
function execute(seeds: readonly MarketSeed[], quote: AmountQuote): { amountIn: bigint; amountOut: bigint } {
  const unused = new Map(seeds.map((seed) => [seed.pool.address, seed]))
  const total = { amountIn: 0n, amountOut: 0n }
  for (const part of quote.parts) {
    let [token, amount]: [Address, bigint] = [SELL, part.amountIn]
    for (const hop of part.hops) {
      expect([hop.tokenIn, hop.amountIn]).toEqual([token, amount])
      const seed = unused.get(hop.pool.address)
      for (const [address, other] of unused) if (seed && areMoved(seed, other)) unused.delete(address)
      amount = (seed && quoteSeed({ ...seed, pool: hop.pool }, token, amount)) ?? -1n
      expect(hop.amountOut).toBe(amount)
      token = hop.tokenOut
    }
    expect([token, amount]).toEqual([BUY, part.amountOut])
    total.amountIn += part.amountIn
    total.amountOut += amount
  }
  return total
}

/** An amount of a tenth of either pool's reserve is better sold to both. */
const TWINS: MarketSeed[] = [1, 2].map((index) => pairSeed(index, [0, 1], [10n ** 21n, 10n ** 21n]))

test.each([
  ['of equal prices', tightMarket(5, 12), sizes],
  ['of all kinds', mixedMarket(4, 12), sizes],
  ['of any prices', randomMarket(4, 14), fc.bigInt({ min: 1n, max: 2n ** 60n })],
])('parts executed in order in markets %s give the quote, which is not worse than one route', (_, markets, amounts) => {
  let split = 0
  fc.assert(
    fc.property(markets, amounts, sides, splits, (seeds, amount, side, maxSplits) => {
      const quote = quoted(seeds, amount, side, maxSplits)
      const single = quoted(seeds, amount, side, 1)
      if (quote === null) {
        expect(single).toBeNull()
        return
      }
      expect(quote.parts.length).toBeLessThanOrEqual(maxSplits)
      expect(execute(seeds, quote)).toEqual({ amountIn: quote.amountIn, amountOut: quote.amountOut })
      if (side === 'in') expect(quote.amountIn).toBe(amount)
      else expect(quote.amountOut).toBeGreaterThanOrEqual(amount)
      if (quote.parts.length === 1) {
        expect(quote).toEqual(single)
        return
      }
      split++
      if (single === null) return
      const further = quote.parts.length - 1
      const gain =
        side === 'in'
          ? Number(quote.amountOut - single.amountOut) / Number(quote.amountOut)
          : Number(single.amountIn - quote.amountIn) / Number(quote.amountIn)
      expect(gain).toBeGreaterThan(MIN_GAIN * further * 0.999)
    }),
    { numRuns: 10 * RUNS, examples: [[TWINS, 10n ** 20n, 'in', 2]] },
  )
  expect(split).toBeGreaterThan(0)
})

/**
 * Returns the output of the best set of paths without common pools, with the input shared out in steps, minus what
 * parts must gain.
 */
function bruteForce(seeds: readonly MarketSeed[], amount: bigint, maxSplits: number): number {
  const paths = simplePaths(seeds, SELL, BUY, 3)
  const outputs = new Map<Path, number[]>()
  for (const path of paths) {
    const step = (n: number) => amountAlong(path, SELL, (amount * BigInt(n)) / BigInt(STEPS))
    outputs.set(
      path,
      Array.from({ length: STEPS + 1 }, (_, n) => (n === 0 ? 0 : Number(step(n) ?? Number.NEGATIVE_INFINITY))),
    )
  }
  let best = 0
  for (const set of disjointSets(paths, maxSplits)) {
    const [first = [], ...others] = set.map((path) => outputs.get(path) ?? [])
    const all = others.reduce(together, first)
    best = Math.max(best, (all[STEPS] ?? 0) * (1 - MIN_GAIN * others.length))
  }
  return best
}

function together(each: readonly number[], other: readonly number[]): number[] {
  return each.map((_, n) => {
    let best = Number.NEGATIVE_INFINITY
    for (let a = 0; a <= n; a++) best = Math.max(best, (each[a] ?? 0) + (other[n - a] ?? 0))
    return best
  })
}

test('splits pay within a thousandth of the best of all shares over all routes, in 49 of 50 markets', () => {
  const ratios: number[] = []
  fc.assert(
    fc.property(tightMarket(4, 9), sizes, fc.constantFrom<2 | 3>(2, 3), (seeds, amount, maxSplits) => {
      const quote = quoted(seeds, amount, 'in', maxSplits)
      const best = bruteForce(seeds, amount, maxSplits)
      if (best === 0) return
      const net = Number(quote?.amountOut ?? 0n) * (1 - MIN_GAIN * ((quote?.parts.length ?? 1) - 1))
      ratios.push(net / best)
    }),
    { numRuns: RUNS, seed: SEED },
  )
  expectFew(
    ratios.filter((ratio) => ratio < 0.999),
    ratios.length,
  )
})

/** Expects the candidates to miss the best routes in only a few of the random markets. */
function expectFew(worse: readonly number[], all: number): void {
  expect(worse.length).toBeLessThanOrEqual(3 + all / 50)
}

test('the input of a split is within a thousandth of what buys its output in a split, in 49 of 50 markets', () => {
  const ratios: number[] = []
  fc.assert(
    fc.property(tightMarket(4, 9), sizes, splits, (seeds, amount, maxSplits) => {
      const bought = quoted(seeds, amount, 'in', maxSplits)
      if (bought === null || bought.amountOut < 10n ** 12n) return
      const sold = quoted(seeds, bought.amountOut, 'out', maxSplits)
      if (bought.parts.length < 2 || sold === null || sold.parts.length < 2) return
      ratios.push(Number(sold.amountIn) / Number(amount))
    }),
    { numRuns: RUNS, seed: SEED },
  )
  expect(ratios.length).toBeGreaterThan(0)
  expectFew(
    ratios.filter((ratio) => ratio > 1.001),
    ratios.length,
  )
})

test('an amount that no single route takes is split over several', () => {
  const narrow = (index: number): MarketSeed => {
    const { pool } = pairSeed(index, [0, 1], [1n, 1n])
    const row = { gross: 10n ** 21n }
    const ticks = [
      { ...row, tick: -60, net: 10n ** 21n },
      { ...row, tick: 60, net: -(10n ** 21n) },
    ]
    const state = { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 21n } as const
    return { pool: { ...pool, tickSpacing: 60 }, state, ticks }
  }
  const seeds = [narrow(1), narrow(2), narrow(3)]
  // Each pool accepts about 3.0 * 10^18.
  const amount = 5n * 10n ** 18n
  for (const side of ['in', 'out'] as const) {
    expect(quoted(seeds, amount, side, 1)).toBeNull()
    const parts = quoted(seeds, amount, side, 4)?.parts ?? []
    expect(parts.length).toBeGreaterThan(1)
    expect(new Set(parts.map(({ hops }) => hops[0]?.pool.address))).not.toContain(poolAddress(4))
  }
})

test('the same market gives the same split, whatever was quoted before', () => {
  fc.assert(
    fc.property(tightMarket(4, 10), sizes, sides, (seeds, amount, side) => {
      const query = { sell: SELL, buy: BUY, amount, side, maxHops: 3, maxSplits: 4 } as const
      const market = createMarket(seeds)
      quoteAmount(market, { ...query, amount: 3n * amount + 1n }, new QuoteWork())
      expect(quoteAmount(market, query)).toEqual(quoteAmount(createMarket(seeds.toReversed()), query))
    }),
    { numRuns: Math.ceil(RUNS / 3) },
  )
})
