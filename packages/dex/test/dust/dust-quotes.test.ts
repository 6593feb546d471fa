import fc from 'fast-check'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { bestRoute } from '../../src/quote/best-route.ts'
import { createMarket, type Market, type MarketSeed } from '../../src/quote/market.ts'
import { SwapLadder } from '../../src/quote/pool-maths/swap-ladder.ts'
import { type QuoteToken, quotePrice } from '../../src/quote/quote-price.ts'
import { MAX_WORK, QuoteOverBudget, QuoteWork } from '../../src/quote/quote-work.ts'
import { BUY, concentratedSeed, dustPools, fullRange, SELL } from '../random/dust.ts'
import { pairSeed, randomMarket, tokenAddress } from '../random/market.ts'
import { bestOfAllPaths } from '../random/paths.ts'
import { anyMagnitude } from '../random/pool.ts'

const E18 = 10n ** 18n
const HUB = tokenAddress(2)

//   SELL === 1,000 of dust, one deep pair === HUB === 1,000 of dust, one deep pair === BUY
const DUST = 1_000
const deep = [pairSeed(1, [0, 2], [10n ** 24n, 10n ** 24n]), pairSeed(2, [1, 2], [10n ** 24n, 10n ** 24n])]
const dustOf = (n: number) => fullRange(100 + n, n % 2 === 0 ? [0, 2] : [1, 2], 10n ** 9n + BigInt(n), n % 300)
const scene = (more: readonly MarketSeed[] = []) =>
  createMarket([...deep, ...Array.from({ length: 2 * DUST }, (_, n) => dustOf(n)), ...more])

function put(market: Market, { pool, state, ticks }: MarketSeed): void {
  market.upsertPool(pool)
  if (ticks !== undefined) market.setTicks(pool.address, ticks)
  market.setState(pool.address, state)
}

/** Returns the price of 1.0 of one token of 18 decimals in another, and the work that it took. */
function quoted(market: Market, budget = MAX_WORK, [sell, buy] = [SELL, BUY]) {
  const work = new QuoteWork(budget)
  const token = (address: typeof sell) => ({ address, decimals: 18 })
  return { price: quotePrice(market, { sell: token(sell), buy: token(buy) }, work)?.price, work: work.done }
}

afterEach(() => vi.restoreAllMocks())

test('a thousand pools of dust on each link are not quoted, and a new one each block changes nothing', () => {
  const ladders = vi.spyOn(SwapLadder.prototype, 'quote')
  const market = scene()
  const alone = quoted(createMarket(deep)).price
  const first = quoted(market)
  expect(first.price).toBe(alone)
  expect(ladders.mock.calls.length).toBeLessThan(20)
  // Each pool of a link is bounded once or twice. An honest quote with as many paths costs the same.
  expect(first.work).toBeLessThan(10 * DUST)
  for (let block = 0; block < 100; block++) {
    put(market, dustOf(2 * DUST + block))
    const next = quoted(market)
    expect(next.price).toBe(alone)
    expect(next.work).toBeLessThan(10 * (DUST + block))
  }
  expect(ladders.mock.calls.length).toBeLessThan(200)
})

// price of the dust: 10^15 times the market's; liquidity: a whale's in one tick, which costs nothing, or nobody's
test.each([
  ['a rate without money', { positions: [{ lower: -887_272, upper: 887_272, liquidity: 1_000n }] }],
  [
    'a whale in one tick far below the price',
    {
      positions: [
        { lower: -887_272, upper: 887_272, liquidity: 1_000n },
        { lower: -880_000, upper: -879_999, liquidity: 10n ** 30n },
      ],
    },
  ],
])('%s does not take the work of a ladder', (_, made) => {
  const lies = Array.from({ length: 600 }, (_, n) =>
    concentratedSeed({
      index: 5_000 + n,
      tokens: n % 2 === 0 ? [0, 2] : [2, 1],
      spacing: 1,
      fee: 0,
      tick: 345_000,
      ...made,
    }),
  )
  const ladders = vi.spyOn(SwapLadder.prototype, 'quote')
  const market = createMarket([...deep, ...lies])
  expect(quoted(market).price).toBe(quoted(createMarket(deep)).price)
  expect(ladders.mock.calls.length).toBeLessThan(20)
  for (const pair of [
    [SELL, BUY],
    [BUY, SELL],
    [SELL, HUB],
    [HUB, SELL],
  ] as [typeof SELL, typeof BUY][]) {
    expect(quoted(market, MAX_WORK, pair).work).toBeLessThan(100_000)
  }
})

test('thousands of ticks in one pool of dust are walked over once, and never in a ladder', () => {
  const positions = Array.from({ length: 4_000 }, (_, n) => ({
    lower: -2 * n - 1,
    upper: -2 * n,
    liquidity: 10n ** 6n,
  }))
  const comb = concentratedSeed({ index: 70, tokens: [0, 2], spacing: 1, fee: 0, tick: 100, positions })
  const market = createMarket([...deep, comb])
  expect(quoted(market).price).toBe(quoted(createMarket(deep)).price)
  expect(quoted(market).work).toBeLessThan(1_000)
})

//   SELL === 300 deep pairs === HUB === a deep pair, and dust of one tick that any of these amounts exhausts === BUY
test('a pool that is known to be exhausted is not tried with one smaller amount after the other', () => {
  const many = Array.from({ length: 300 }, (_, n) =>
    pairSeed(100 + n, [0, 2], [10n ** 24n, 10n ** 24n - BigInt(n) * 10n ** 20n]),
  )
  const positions = [{ lower: -880_000, upper: -879_999, liquidity: 10n ** 30n }]
  const spent = concentratedSeed({ index: 50, tokens: [2, 1], spacing: 1, fee: 0, tick: 345_001, positions })
  const alone = quoted(createMarket([...deep, ...many]))
  const market = createMarket([...deep, ...many, spent])
  for (let quote = 0; quote < 3; quote++) {
    const { price, work } = quoted(market)
    expect(price).toBe(alone.price)
    expect(work).toBeLessThan(alone.work + 500)
  }
})

// SELL --- dust with false prices --- one of 200 tokens --- a deep pair --- BUY
test('dust that leads to many tokens, each with a deep pool after it, is not computed', () => {
  const lie = [
    { lower: -887_272, upper: 887_272, liquidity: 1_000n },
    { lower: -880_000, upper: -879_999, liquidity: 10n ** 30n },
  ]
  const fan = Array.from({ length: 200 }, (_, n) => [
    concentratedSeed({ index: 5_000 + n, tokens: [0, 10 + n], spacing: 1, fee: 0, tick: 345_000, positions: lie }),
    pairSeed(6_000 + n, [1, 10 + n], [10n ** 24n, 10n ** 24n]),
  ]).flat()
  const ladders = vi.spyOn(SwapLadder.prototype, 'quote')
  expect(quoted(createMarket([...deep, ...fan])).price).toBe(quoted(createMarket(deep)).price)
  expect(ladders.mock.calls.length).toBeLessThan(5)
})

test('what bounds a pool or a link does not outlive a change of it', () => {
  const pair = (index: number, ends: readonly [number, number], pays: bigint) =>
    pairSeed(index, ends, [10n ** 24n, pays * 10n ** 24n])
  // A whale in a range that costs nothing, so that only the close bound shows the small output; then a hundred times as
  // much.
  const long = (liquidity: bigint) => {
    const whale = { lower: -880_000, upper: -879_999, liquidity: 10n ** 30n }
    const positions = [{ lower: -887_272, upper: 887_272, liquidity }, whale]
    return concentratedSeed({ index: 20, tokens: [0, 1], spacing: 1, fee: 0, tick: 0, positions })
  }
  const market = createMarket([pairSeed(10, [0, 1], [10n ** 24n, 10n ** 23n]), long(10n ** 16n)])
  expect(quoted(market).price).toMatch(/^0\.09/)
  put(market, long(5n * 10n ** 18n))
  expect(quoted(market).price).toBe(quoted(createMarket([long(5n * 10n ** 18n)])).price)

  // Over the hub, a quarter of the direct pair's output, and then four times as much.
  const over = createMarket([
    pair(30, [0, 1], 4n),
    pair(31, [0, 2], 1n),
    pairSeed(32, [2, 1], [10n ** 24n, 10n ** 24n]),
    pairSeed(33, [2, 1], [10n ** 24n, 10n ** 24n]),
  ])
  expect(quoted(over).price).toMatch(/^3\.9/)
  put(over, pairSeed(33, [2, 1], [10n ** 24n, 16n * 10n ** 24n]))
  expect(quoted(over).price).toMatch(/^15\.9/)
})

test('dust does not take the work of a ladder where the marginal rate is the price', () => {
  const thin = pairSeed(1, [0, 1], [10n ** 30n, 10n ** 10n])
  const positions = [{ lower: -887_272, upper: 887_272, liquidity: 5n }]
  const lies = Array.from({ length: 600 }, (_, n) =>
    concentratedSeed({ index: 5_000 + n, tokens: [0, 1], spacing: 1, fee: n, tick: 100_000, positions }),
  )
  const market = createMarket([thin, ...lies])
  const work = new QuoteWork(MAX_WORK)
  const [sell, buy] = [SELL, BUY].map((address) => ({ address, decimals: 0 })) as [QuoteToken, QuoteToken]
  expect(quotePrice(market, { sell, buy }, work)?.basis).toBe('marginal')
  expect(quotePrice(market, { sell, buy })?.route.map(({ pool }) => pool.address)).toEqual([thin.pool.address])
})

test('one new pool leaves the ladders of the others as they are', () => {
  const honest = Array.from({ length: 30 }, (_, n) => fullRange(10 + n, [0, 1], 10n ** 19n, 100))
  const market = createMarket(honest)
  const first = quoted(market)
  put(market, fullRange(60, [0, 1], 10n ** 19n, 100))
  const next = quoted(market)
  expect(next.price).toBe(first.price)
  expect(next.work).toBeLessThan(first.work / 3)
  market.setState(honest[0]?.pool.address ?? expect.fail(), honest[0]?.state ?? null)
  expect(quoted(market).work).toBeLessThan(first.work / 3)
})

// 400 equal pools, in each of which a swap crosses 140 words of the bitmap: any of them may be the best
const alike = () => createMarket(Array.from({ length: 400 }, (_, n) => fullRange(10 + n, [0, 1], E18 / 5n, 100)))

test('a quote ends with its budget, and what it has worked out helps the next ones', () => {
  const market = alike()
  let refused = 0
  let price: string | undefined
  while (price === undefined) {
    try {
      price = quoted(market).price
    } catch (error) {
      expect(error).toBeInstanceOf(QuoteOverBudget)
      if (++refused > 20) break
    }
  }
  expect(refused).toBeGreaterThan(0)
  expect(price).toBe(quoted(alike(), Number.POSITIVE_INFINITY).price)
})

test('the work of a quote is the same each time', () => {
  const works = [0, 1].map(() => quoted(scene()).work)
  expect(works[0]).toBe(works[1])
})

test('with dust on one link or two the best route is still that of trying every path', () => {
  const link = fc.constantFrom<readonly [number, number]>([0, 1], [0, 2], [1, 2], [2, 3], [0, 3])
  let [routes, dusty] = [0, 0]
  fc.assert(
    fc.property(
      fc.tuple(
        randomMarket(4, 8),
        link.chain((ends) => dustPools(ends, 120)),
        link.chain((ends) => dustPools(ends, 12)),
      ),
      fc.oneof(anyMagnitude(40), anyMagnitude(80)),
      fc.option(fc.subarray([2, 3]).map((some) => new Set(some.map(tokenAddress)))),
      ([honest, many, few], amountIn, passable) => {
        const moved = few.map((seed, n) => ({
          ...seed,
          pool: { ...seed.pool, address: pairSeed(3_000 + n, [0, 1], [1n, 1n]).pool.address },
        }))
        const seeds = [...honest, ...many, ...moved]
        const route = bestRoute(createMarket(seeds, passable), { sell: SELL, buy: BUY, amountIn })
        const open = seeds.filter(({ pool }) => pool.fee < 1_000_000)
        const expected = bestOfAllPaths(open, amountIn, 3, passable)
        expect(route === null ? null : { amountOut: route.amountOut, hops: route.hops.length }).toEqual(expected)
        if (route !== null) routes++
        if (route?.hops.some(({ pool }) => pool.fee !== 3_000)) dusty++
      },
    ),
    { numRuns: 24 * inject('scale') },
  )
  expect([routes, dusty].every((count) => count > 0)).toBe(true)
})
