import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import type { Address } from '../src/chain.ts'
import { quoteAmount } from '../src/quote/amounts/quote-amount.ts'
import { bestRoute, isUnlisted } from '../src/quote/best-route.ts'
import { marginalRoute } from '../src/quote/marginal-route.ts'
import { createMarket, type Market, type MarketSeed } from '../src/quote/market.ts'
import { MarketPrices } from '../src/quote/market-prices/market-prices.ts'
import { quotePrice } from '../src/quote/quote-price.ts'
import { pairSeed, poolAddress, randomMarket, simplePaths, tokenAddress } from './random/market.ts'
import { amountAlong } from './random/paths.ts'
import { anyMagnitude } from './random/pool.ts'

const [COIN, USD, LISTED] = [tokenAddress(0), tokenAddress(1), tokenAddress(2)]
const [GATE, OWN] = [tokenAddress(3), tokenAddress(4)]
const E18 = 10n ** 18n
const price = (usd: bigint, decimals = 18) => ({ priceE18: usd * E18, decimals, depegged: false, isOld: false })
const ANCHORS = new Map([
  [COIN, price(3_000n)],
  [USD, price(1n)],
])

/** A market in which friends of GATE's maker have moved GATE three times. Nobody else can move it. */
function marketOf(seeds: readonly MarketSeed[]): Market {
  const market = createMarket(seeds, new Set([COIN, USD, LISTED]))
  market.pass(GATE, 'proven')
  market.setPrices(ANCHORS)
  return market
}

/** The attacker's pools: 40 USD, and 200,000 USD that nobody else can get. */
const FRIENDS = [pairSeed(10, [0, 3], [E18 / 2n, 1_000n * E18]), pairSeed(11, [1, 3], [200_000n * E18, 1_000n * E18])]
const HONEST = pairSeed(1, [0, 1], [1_000n * E18, 3_000_000n * E18])

const sale = (market: Market, sell = COIN, buy = USD) => {
  const query = { sell, buy, amount: E18, side: 'in', maxHops: 3, maxSplits: 4 } as const
  const pools = (hops: readonly { pool: { address: Address } }[]) => hops.map(({ pool }) => pool.address)
  const best = bestRoute(market, { sell, buy, amountIn: E18 })?.hops ?? []
  const priced = quotePrice(market, { sell: { address: sell, decimals: 18 }, buy: { address: buy, decimals: 18 } })
  const parts = quoteAmount(market, query)?.parts ?? []
  const cheapest = quoteAmount(market, { ...query, side: 'out', maxSplits: 1 })?.parts ?? []
  for (const route of [priced?.route ?? [], parts.flatMap(({ hops }) => hops)]) {
    expect(pools(route)).toEqual(pools(best))
  }
  return {
    pools: pools(best),
    isUnlisted: isUnlisted(market, best),
    cheapest: cheapest.flatMap(({ hops }) => pools(hops)),
  }
}

//   COIN ---- honest, 6 million USD ---- USD
//     \------- GATE, 25 times better -----/        three friends of its maker moved GATE
describe('a token that only the friends of its maker can move', () => {
  test('is not passed while a route through listed tokens has deep pools', () => {
    const honest = [poolAddress(1)]
    expect(sale(marketOf([HONEST, ...FRIENDS]))).toEqual({ pools: honest, isUnlisted: false, cheapest: honest })
  })

  test('is not passed while such a route exists at all, even if the best one is shallow', () => {
    const shallow = pairSeed(2, [0, 1], [E18 / 100n, 40n * E18])
    const far = [pairSeed(3, [0, 2], [E18, E18]), pairSeed(4, [1, 2], [3_000n * E18, E18])]
    const market = marketOf([shallow, ...far, ...FRIENDS])
    expect(isUnlisted(market, bestRoute(market, { sell: COIN, buy: USD, amountIn: E18 / 10_000n })?.hops ?? [])).toBe(
      false,
    )
    // GATE's maker empties the deep pool of the listed token.
    market.removePool(poolAddress(4))
    expect(isUnlisted(market, bestRoute(market, { sell: COIN, buy: USD, amountIn: E18 / 10_000n })?.hops ?? [])).toBe(
      true,
    )
  })

  test('is passed and told if the other pools hold less than 1,000 USD', () => {
    const thin = pairSeed(1, [0, 1], [E18 / 10n, 600n * E18])
    const friends = FRIENDS.map(({ pool }) => pool.address)
    expect(sale(marketOf([thin, ...FRIENDS]))).toEqual({ pools: friends, isUnlisted: true, cheapest: friends })
    const enough = pairSeed(1, [0, 1], [E18 / 5n, 600n * E18])
    expect(sale(marketOf([enough, ...FRIENDS])).isUnlisted).toBe(false)
  })

  test('gives no marginal rate, either', () => {
    const back = [pairSeed(10, [0, 3], [66n * E18, 1_000n * E18]), pairSeed(11, [1, 3], [1_000n * E18, 1_000n * E18])]
    const marginal = (seeds: readonly MarketSeed[]) => {
      const route = marginalRoute(marketOf(seeds), { sell: USD, buy: COIN, coarse: 1n })
      return route?.hops.map(({ pool }) => pool.address)
    }
    expect(marginal([HONEST, ...back])).toEqual([poolAddress(1)])
    expect(marginal([pairSeed(1, [0, 1], [E18 / 10n, 300n * E18]), ...back])).toEqual([
      poolAddress(11),
      poolAddress(10),
    ])
  })

  test('takes no part of a split whose best route is listed', () => {
    const market = marketOf([pairSeed(1, [0, 1], [E18 / 2n, 1_500n * E18]), ...FRIENDS])
    const query = { sell: COIN, buy: USD, amount: E18, maxHops: 3, maxSplits: 4 } as const
    for (const side of ['in', 'out'] as const) {
      const quote = quoteAmount(market, { ...query, amount: side === 'in' ? E18 : 900n * E18, side })
      expect(quote?.parts.map(({ hops }) => hops.map(({ pool }) => pool.address))).toEqual([[poolAddress(1)]])
    }
  })

  test('sets no price of a token that has a deep way over a listed one', () => {
    const priceOf = (seeds: readonly MarketSeed[]) => {
      const market = marketOf(seeds)
      const found = new MarketPrices(market, new Map([...ANCHORS]), new Set([USD])).of(OWN)
      return found && { hops: found.hops.map(({ pool }) => pool.address), isUnlisted: isUnlisted(market, found.hops) }
    }
    const own = [pairSeed(5, [3, 4], [1_000n * E18, 1_000n * E18])]
    const way = [pairSeed(6, [2, 4], [E18, 1_000n * E18]), pairSeed(7, [0, 2], [E18, E18])]
    const gated = { hops: [poolAddress(5), poolAddress(11)], isUnlisted: true }
    expect(priceOf([...own, ...way, ...FRIENDS])).toEqual(gated)
    const direct = pairSeed(8, [0, 4], [E18, 1_000n * E18])
    expect(priceOf([...own, ...way, direct, ...FRIENDS])).toEqual({ hops: [poolAddress(8)], isUnlisted: false })
    const thin = pairSeed(8, [0, 4], [E18 / 10n, 100n * E18])
    expect(priceOf([...own, ...way, thin, ...FRIENDS])).toEqual(gated)
  })
})

// COIN ---- thin ---- USD; COIN -- LISTED -- USD pays more, but LISTED takes a tax that no pool shows.
test('a listed token that arrives short is passed by no route', () => {
  const way = [pairSeed(3, [0, 2], [E18, E18]), pairSeed(4, [1, 2], [4_000n * E18, E18])]
  const market = createMarket([pairSeed(1, [0, 1], [E18, 3_000n * E18]), ...way], new Set([COIN, USD, LISTED]))
  market.setPrices(ANCHORS)
  const route = () =>
    bestRoute(market, { sell: COIN, buy: USD, amountIn: E18 / 1_000n })?.hops.map(({ pool }) => pool.address)
  expect(route()).toEqual([poolAddress(3), poolAddress(4)])
  market.pass(LISTED, 'taxed')
  expect(route()).toEqual([poolAddress(1)])
  expect(bestRoute(market, { sell: COIN, buy: LISTED, amountIn: E18 / 1_000n })?.hops).toHaveLength(1)
})

const hops = fc.constantFrom<1 | 2 | 3>(1, 2, 3, 3, 3)
const LOW = new Map([0, 1, 2, 3].map((token) => [tokenAddress(token), price(1n, 12)]))

test('the best route is that of all paths through listed tokens, or through all if none of those is deep (property)', () => {
  const some = fc.subarray([2, 3, 4, 5, 6]).map((tokens) => tokens.map(tokenAddress))
  fc.assert(
    fc.property(randomMarket(7, 16), some, some, anyMagnitude(70), hops, (seeds, listed, proven, amountIn, maxHops) => {
      const market = createMarket(seeds, new Set(listed))
      const others = proven.filter((token) => !listed.includes(token))
      for (const token of others) market.pass(token, 'proven')
      market.setPrices(LOW)
      const best = (passable: readonly Address[]) => {
        const paths = simplePaths(seeds, COIN, USD, maxHops, new Set(passable))
        const amounts = paths
          .map((path) => ({ path, amount: amountAlong(path, COIN, amountIn) }))
          .filter((x) => x.amount !== null)
        const isDeep = amounts.some(({ path }) => path.every(({ pool }) => market.isDeep(pool.address)))
        const amount = amounts.reduce((max, x) => (x.amount !== null && x.amount > max ? x.amount : max), 0n)
        return { isDeep, amount: amount === 0n ? null : amount }
      }
      const ofListed = best(listed)
      const expected = ofListed.isDeep ? ofListed.amount : best([...listed, ...others]).amount
      const route = bestRoute(market, { sell: COIN, buy: USD, amountIn, maxHops })
      expect(route?.amountOut ?? null).toBe(expected)
      const query = { sell: COIN, buy: USD, amount: amountIn, side: 'in', maxHops, maxSplits: 1 } as const
      expect(quoteAmount(market, query)?.amountOut ?? null).toBe(expected)
      if (ofListed.isDeep) {
        const split = quoteAmount(market, { ...query, maxSplits: 3 })
        expect(split?.parts.some((part) => isUnlisted(market, part.hops)) ?? false).toBe(false)
      }
    }),
    { numRuns: 300 * inject('scale') },
  )
})
