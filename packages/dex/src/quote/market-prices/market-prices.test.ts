import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { type AnchorPrice, USD } from '../../anchor-prices.ts'
import type { Address } from '../../chain.ts'
import { bestRoute } from '../best-route.ts'
import { createMarket, type MarketSeed } from '../market.ts'
import { QuoteOverBudget, QuoteWork } from '../quote-work.ts'
import { type EndPrice, MarketPrices } from './market-prices.ts'

const E18 = 10n ** 18n
const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [STABLE, COIN, TOKEN, FAR, OTHER] = [1, 2, 3, 4, 5].map(address) as [Address, Address, Address, Address, Address]
const anchor = (usd: bigint, decimals = 18): AnchorPrice => ({
  priceE18: usd * USD,
  decimals,
  depegged: false,
  isOld: false,
})
const ENDS = new Map([
  [STABLE, anchor(1n)],
  [COIN, anchor(600n)],
])

/** A pair with a fee of 0.3 %; amounts are in whole units of 18 decimals. */
function pair(n: number, [a, b]: readonly [Address, Address], reserves: readonly [bigint, bigint]): MarketSeed {
  const [first, second] = a < b ? [0, 1] : [1, 0]
  const [token0, token1] = a < b ? [a, b] : [b, a]
  return {
    pool: { address: address(0x1000 + n), token0, token1, fee: 3_000, tickSpacing: null },
    state: { kind: 'pair', reserve0: reserves[first] ?? 0n, reserve1: reserves[second] ?? 0n },
  }
}

function pricesOf(seeds: readonly MarketSeed[], passable: ReadonlySet<Address> | null = null) {
  const market = createMarket(seeds, passable)
  return { market, prices: new MarketPrices(market, ENDS, new Set([STABLE])) }
}

/** Returns the USD price of 10^18 base units of a token. */
function usdOf(prices: MarketPrices<EndPrice>, token: Address): number | null {
  const price = prices.of(token)
  if (price === null) return null
  const { amountIn, amountOut, endPrice } = price
  return (Number(amountOut) / Number(amountIn)) * (Number(endPrice.priceE18) / 1e18) * 10 ** (18 - endPrice.decimals)
}

describe('the price of a token in a market', () => {
  it('is what a sale of 100 USD of it brings, fees included', () => {
    const { market, prices } = pricesOf([pair(1, [TOKEN, STABLE], [1_000_000n * E18, 2_000_000n * E18])])
    const price = prices.of(TOKEN)
    expect(usdOf(prices, TOKEN)).toBeCloseTo(2 * 0.997, 3)
    expect(price?.amountOut).toBe(
      bestRoute(market, { sell: TOKEN, buy: STABLE, amountIn: price?.amountIn ?? 0n })?.amountOut,
    )
    expect(Number(price?.amountOut)).toBeCloseTo(1e20, -17)
  })

  it('says how much can be sold for 2 % less', () => {
    const { market, prices } = pricesOf([pair(1, [TOKEN, STABLE], [1_000_000n * E18, 2_000_000n * E18])])
    // 1 / (1 + x) = 0.98
    expect(Number(prices.of(TOKEN)?.depthE8) / 1e8).toBeGreaterThan(0.97 * (2_000_000 * 0.02))
    expect(Number(prices.of(TOKEN)?.depthE8) / 1e8).toBeLessThan(2_000_000 * 0.0201)
    expect([...market.pools()]).toHaveLength(1)
  })

  it('is not set by dust, whatever its rate is', () => {
    const dust = Array.from({ length: 50 }, (_, n) => pair(100 + n, [TOKEN, STABLE], [E18 / 10n ** 9n, 30n * E18]))
    const { prices } = pricesOf([pair(1, [TOKEN, COIN], [1_000_000n * E18, 1_000n * E18]), ...dust])
    expect(usdOf(prices, TOKEN)).toBeCloseTo(0.6 * 0.997, 3)
    expect(prices.of(TOKEN)?.hops.map(({ pool }) => pool.address)).toEqual([address(0x1001)])
  })

  it('goes over a token that routes may pass through, and only over such', () => {
    const seeds = [
      pair(1, [FAR, TOKEN], [1_000_000n * E18, 1_000_000n * E18]),
      pair(2, [TOKEN, COIN], [1_000_000n * E18, 1_000n * E18]),
    ]
    expect(usdOf(pricesOf(seeds).prices, FAR)).toBeCloseTo(0.6 * 0.997 ** 2, 2)
    expect(pricesOf(seeds, new Set([COIN])).prices.of(FAR)).toBeNull()
  })

  it('is that of one dollar if no pool can take more', () => {
    const { prices } = pricesOf([pair(1, [TOKEN, STABLE], [10n * E18, 20n * E18])])
    expect(usdOf(prices, TOKEN)).toBeCloseTo(2 * 0.997, 0)
    expect(Number(prices.of(TOKEN)?.depthE8) / 1e8).toBeLessThan(2)
  })

  it('is unknown without a route, and without a pool', () => {
    const { prices } = pricesOf([pair(1, [TOKEN, OTHER], [E18, E18])])
    expect([prices.of(TOKEN), prices.of(FAR)]).toEqual([null, null])
  })

  it('sells an anchor for stablecoins', () => {
    const { prices } = pricesOf([pair(1, [COIN, STABLE], [1_000n * E18, 600_000n * E18])])
    expect(prices.of(COIN)).toMatchObject({ end: STABLE })
    expect(prices.of(STABLE)).toBeNull()
  })

  it('stops at its budget', () => {
    const seeds = Array.from({ length: 400 }, (_, n) => pair(n, [TOKEN, STABLE], [E18 * 10n ** 6n, E18 * 10n ** 6n]))
    expect(() => pricesOf(seeds).prices.of(TOKEN, new QuoteWork(50))).toThrow(QuoteOverBudget)
  })
})

it('a price does not depend on the order of pools, and a sale of the depth is 2 % cheaper at most (property)', () => {
  const reserve = fc.bigInt({ min: 10n ** 15n, max: 10n ** 27n })
  const tokens = fc.constantFrom(STABLE, COIN, TOKEN, FAR, OTHER)
  const pool = fc.tuple(fc.tuple(tokens, tokens), fc.tuple(reserve, reserve))
  const pools = fc.array(pool, { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(pools, fc.integer({ min: 0, max: 1_000 }), (given, turn) => {
      const seeds = given.flatMap(([of, reserves], n) => (of[0] === of[1] ? [] : [pair(n, of, reserves)]))
      const turned = [...seeds.slice(turn % (seeds.length + 1)), ...seeds.slice(0, turn % (seeds.length + 1))]
      const [one, other] = [pricesOf(seeds).prices, pricesOf(turned.reverse()).prices]
      for (const token of [TOKEN, FAR, OTHER, COIN, STABLE].toReversed()) expect(one.of(token)).toEqual(other.of(token))
      for (const token of [TOKEN, FAR, OTHER]) {
        const price = one.of(token)
        if (price === null) continue
        expect(price.amountOut).toBeGreaterThan(0n)
        expect(Number(price.depthE8)).toBeGreaterThanOrEqual(
          Math.floor((Number(price.amountOut) * Number(price.endPrice.priceE18)) / 1e28) * 0.999,
        )
      }
    }),
    { numRuns: 60 * inject('scale') },
  )
})
