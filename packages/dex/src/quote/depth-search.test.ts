import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { tokenAddress } from '../../test/random/market.ts'
import { mixedMarket } from '../../test/random/mixed-market.ts'
import { quoteAmount } from './amounts/quote-amount.ts'
import { DepthSearch, type Exchange } from './depth-search.ts'
import { createMarket, type Market, type MarketSeed } from './market.ts'
import { marginalRate, type Rate } from './pool-maths/pool-in-state.ts'
import { pairAmountOut } from './pool-maths/pool-side.ts'
import { QuoteWork } from './quote-work.ts'

const BPS = [10n, 50n, 100n, 200n, 500n]
const SELL = tokenAddress(0)
const BUY = tokenAddress(1)

interface Found {
  levels: (Exchange | null)[]
  tried: ReadonlyMap<bigint, bigint | null>
}

function depths(reference: Rate, first: bigint, quote: (amountIn: bigint) => bigint | null, bps = BPS): Found {
  const tried = new Map<bigint, bigint | null>()
  const search = new DepthSearch(reference, first, (amountIn) => {
    const amountOut = quote(amountIn)
    tried.set(amountIn, amountOut)
    return amountOut
  })
  const levels = bps.map((each) => {
    const steps = search.find({ numerator: 10_000n - each, denominator: 10_000n })
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
    }
  })
  return { levels, tried }
}

/** Whether a price has fallen by at most `bps` basis points. */
function isWithin(reference: Rate, amountIn: bigint, amountOut: bigint | null, bps: bigint): boolean {
  if (amountOut === null) return false
  return amountOut * reference.denominator * 10_000n >= amountIn * reference.numerator * (10_000n - bps)
}

const moreThan = (amountIn: bigint) => (amountIn < 1_000n ? amountIn + 1n : (amountIn * 1_001n) / 1_000n)

function check(reference: Rate, quote: (amountIn: bigint) => bigint | null, { levels, tried }: Found): void {
  let before = 0n
  for (const [index, level] of levels.entries()) {
    const bps = BPS[index] ?? 0n
    if (level === null) continue
    expect(quote(level.amountIn)).toBe(level.amountOut)
    expect(isWithin(reference, level.amountIn, level.amountOut, bps)).toBe(true)
    // Prices of some formulas and routes also rise with the amount, so 0.1 % more may be within again.
    const more = moreThan(level.amountIn)
    const next = [...tried].filter(([amountIn]) => amountIn > level.amountIn && amountIn <= more)
    expect(next.some(([amountIn, amountOut]) => !isWithin(reference, amountIn, amountOut, bps))).toBe(true)
    expect(level.amountIn).toBeGreaterThanOrEqual(before)
    before = level.amountIn
  }
}

/** Returns both sides of each pool, with its rate for an infinitely small amount. */
function sidesOf(market: Market, seeds: readonly MarketSeed[]) {
  return seeds.flatMap(({ pool }) => {
    const sides = [pool.token0, pool.token1].flatMap((sell, at) => {
      const side = market.side(pool.address, sell, at === 0 ? pool.token1 : pool.token0)
      return side === null ? [] : [side]
    })
    return sides.flatMap((side) => {
      const reference = marginalRate(side.current, side.zeroForOne)
      const quote = (amountIn: bigint) => side.quote(amountIn, new QuoteWork())
      return reference === null ? [] : [{ reference, quote }]
    })
  })
}

describe('the depth', () => {
  it('of a pair is what its formula says, after a few quotes', () => {
    const reserve = 10n ** 24n
    const reference = { numerator: 997_000n, denominator: 1_000_000n }
    const quote = (amountIn: bigint) => pairAmountOut(amountIn, reserve, reserve, 3_000n)
    for (const first of [1n, 10n ** 18n, 10n ** 23n, 10n ** 30n]) {
      const found = depths(reference, first, quote)
      check(reference, quote, found)
      for (const [index, level] of found.levels.entries()) {
        const more = moreThan(level?.amountIn ?? 0n)
        expect(isWithin(reference, more, quote(more), BPS[index] ?? 0n)).toBe(false)
      }
      for (const [index, level] of found.levels.entries()) {
        // The price is kept / (1 + kept * x) for a share x of the reserve.
        const bps = Number(BPS[index])
        const exact = (1 / (1 - bps / 10_000) - 1) / 0.997
        expect(Number(level?.amountIn) / 1e24 / exact).toBeCloseTo(1, 2)
      }
      expect(found.tried.size).toBeLessThan(40)
    }
  })

  it('ends where the pool accepts no more, and is null where units are too coarse', () => {
    const constant = (amountIn: bigint) => (amountIn > 12_345_678n ? null : amountIn)
    const one = { numerator: 1n, denominator: 1n }
    const full = { amountIn: 12_345_678n, amountOut: 12_345_678n }
    for (const level of depths(one, 100n, constant).levels) {
      expect(Number(level?.amountIn) / Number(full.amountIn)).toBeGreaterThan(0.999)
      expect(level?.amountIn).toBeLessThanOrEqual(full.amountIn)
    }
    expect(depths(one, 100n, (amountIn) => amountIn / 2n).levels).toEqual(BPS.map(() => null))
    expect(depths(one, 10n ** 40n, () => null).levels).toEqual(BPS.map(() => null))
    const unlimited = depths(one, 1n, (amountIn) => amountIn).levels
    expect(unlimited.every((level) => level !== null && level.amountIn > 1n << 250n)).toBe(true)
    expect(depths(one, 1n, (amountIn) => (amountIn > 3n ? amountIn / 2n : amountIn)).levels[0]?.amountIn).toBe(3n)
  })

  it('of the best routes in markets of all kinds is proven by quotes (property)', () => {
    let found = 0
    fc.assert(
      fc.property(mixedMarket(4, 10), fc.constantFrom<1 | 4>(1, 4), (seeds, maxSplits) => {
        const market = createMarket(seeds)
        const query = { sell: SELL, buy: BUY, side: 'in', maxHops: 3, maxSplits } as const
        const quote = (amount: bigint) => quoteAmount(market, { ...query, amount })?.amountOut ?? null
        const small = 10n ** 12n
        const paid = quote(small)
        if (paid === null) return
        const reference = { numerator: paid, denominator: small }
        const levels = depths(reference, small, quote)
        for (const level of levels.levels) if (level !== null) found++
        check(reference, quote, levels)
      }),
      { numRuns: 10 * inject('scale') },
    )
    expect(found).toBeGreaterThan(20)
  })

  it('of each pool is proven by quotes (property)', () => {
    let found = 0
    fc.assert(
      fc.property(mixedMarket(4, 10), (seeds) => {
        const market = createMarket(seeds)
        for (const { reference, quote } of sidesOf(market, seeds)) {
          const levels = depths(reference, 10n ** 15n, quote)
          for (const level of levels.levels) if (level !== null) found++
          check(reference, quote, levels)
        }
      }),
      { numRuns: 10 * inject('scale') },
    )
    expect(found).toBeGreaterThan(100)
  })
})
