import { expect, test } from 'vitest'
import { at, madeHop, madeTrade } from '../../test/made-hop.ts'
import { type AnchorPrices, USD } from '../anchor-prices.ts'
import type { Address } from '../chain.ts'
import {
  FLAG_AMOUNTS_DIFFER,
  FLAG_CAPPED,
  FLAG_DEPEGGED,
  FLAG_DISAGREEMENT,
  FLAG_JIT_LIQUIDITY,
  FLAG_PARTIAL,
  type Hop,
  type PoolRoute,
  type Trade,
} from '../trades/trade.ts'
import { priceTrade } from './trade-value.ts'

const [WETH, USDC, DAI, WBTC, FOO, BAR] = [at('1'), at('2'), at('3'), at('4'), at('5'), at('6')]
const E6 = 10n ** 6n
const E8 = 10n ** 8n
const E18 = 10n ** 18n
const prices: AnchorPrices = {
  stablecoins: new Map([
    [USDC, { priceE18: USD, decimals: 6, depegged: false, isOld: false }],
    [DAI, { priceE18: USD / 2n, decimals: 18, depegged: true, isOld: false }],
  ]),
  native: new Map([[WETH, { priceE18: 3_000n * USD, decimals: 18, depegged: false, isOld: false }]]),
  others: new Map([[WBTC, { priceE18: 60_000n * USD, decimals: 8, depegged: false, isOld: false }]]),
}

const hop = (tokenIn: Address, amountIn: bigint, tokenOut: Address, amountOut: bigint): Hop =>
  madeHop(0, [tokenIn, amountIn], [tokenOut, amountOut])

test('all fields of a trade stay', () => {
  const leg = { token: FOO, amount: 1n, native: false }
  const trade = {
    blockNumber: 1,
    timestamp: 2,
    transactionIndex: 3,
    position: 4,
    txHash: '0x05',
    trader: BAR,
    settledFor: WETH,
    byToken: false,
    isPartial: false,
    sell: leg,
    buy: leg,
    throughPools: { sell: leg, buy: leg },
    routes: [],
    hops: [hop(FOO, 1n, BAR, 1n)],
    moves: [{ token: FOO, isWhole: true }],
  } satisfies Required<Omit<Trade, 'accountEnds' | 'endsToCompare' | 'outside' | 'settled'>>
  expect(priceTrade(trade, prices, false)).toEqual({ ...trade, hopsUsdE8: [null], usdE8: null, source: null, flags: 0 })
  expect(priceTrade({ ...trade, isPartial: true }, prices, false).flags).toBe(FLAG_PARTIAL)
  const ofJit = trade.hops.map((hop) => ({ ...hop, isOfJitLiquidity: true as const }))
  const ofRoute = [{ sell: leg, buy: leg, hops: ofJit }]
  expect(priceTrade({ ...trade, hops: ofJit, routes: ofRoute }, prices, true).flags).toBe(FLAG_JIT_LIQUIDITY)
  expect(priceTrade({ ...trade, routes: ofRoute }, prices, true).flags).toBe(FLAG_JIT_LIQUIDITY)
})

/** A trade over several routes that stores only the given hops. */
function routed(routes: PoolRoute[], hops: Hop[]) {
  const sell = { token: FOO, amount: 1n, native: false }
  return priceTrade(madeTrade(hops, { routes, sell, buy: { ...sell, token: BAR } }), prices, true)
}
const routeOf = (hops: Hop[]): PoolRoute => {
  const [first, last] = [hops[0], hops.at(-1)]
  const leg = (token = FOO, amount = 0n) => ({ token, amount, native: false })
  return { sell: leg(first?.tokenIn, first?.amountIn), buy: leg(last?.tokenOut, last?.amountOut), hops }
}

test('a sum that lacks the value of a route is that of a part, which a flag says', () => {
  const [main, fee] = [hop(FOO, 500n, BAR, 9n), { ...hop(FOO, 1n, USDC, 750_073n), logIndex: 1 }]
  const { usdE8, source, flags } = routed([routeOf([main]), routeOf([fee])], [main, fee])
  expect({ usdE8, source, flags }).toEqual({ usdE8: 75_007_300n, source: 'stablecoin', flags: FLAG_PARTIAL })
  const alone = routed([routeOf([main]), routeOf([hop(FOO, 1n, BAR, 1n)])], [main])
  expect([alone.usdE8, alone.flags]).toEqual([null, 0])
})

test('money that passed through another route of the trade, too, counts once', () => {
  const [main, fee] = [hop(FOO, 1n, USDC, 1_995n * E6), { ...hop(USDC, 99n * E6, BAR, 3n), logIndex: 1 }]
  const row = routed([routeOf([main]), { ...routeOf([fee]), isPassedOn: true }], [main, fee])
  expect([row.usdE8, row.flags, row.hopsUsdE8]).toEqual([1_995n * E8, 0, [1_995n * E8, 99n * E8]])
})

test('the values of several routes add up, by the source of the first', () => {
  const [one, other] = [hop(FOO, 1n, WETH, E18), { ...hop(FOO, 1n, USDC, 50n * E6), logIndex: 1 }]
  const { usdE8, source, hopsUsdE8 } = routed([routeOf([one]), routeOf([other])], [one, other])
  expect([usdE8, source]).toEqual([3_050n * E8, 'native'])
  expect(hopsUsdE8).toEqual([3_000n * E8, 50n * E8])
  const unknown = routeOf([hop(FOO, 1n, BAR, 1n)])
  expect(routed([unknown, routeOf([other])], []).usdE8).toBe(50n * E8)
  expect(routed([unknown], []).usdE8).toBeNull()
})

test('a part of a hop is worth that part; the hop is stored with all that it is worth', () => {
  const [paid, whole] = [hop(USDC, 100n * E6, FOO, 10n), { ...hop(FOO, 40n, BAR, 4n), logIndex: 1 }]
  const { usdE8, hopsUsdE8 } = routed([routeOf([paid, { ...whole, amountIn: 10n, amountOut: 1n }])], [paid, whole])
  expect(usdE8).toBe(100n * E8)
  expect(hopsUsdE8).toEqual([100n * E8, 400n * E8])
  const half = { ...paid, amountIn: 50n * E6, amountOut: 5n }
  const ofAnchor = routed([routeOf([half])], [paid])
  expect([ofAnchor.usdE8, ofAnchor.hopsUsdE8]).toEqual([50n * E8, [100n * E8]])
})

test('a hop of several routes is flagged as in its route', () => {
  const foreign = { ...hop(FOO, 1n, BAR, 1n), logIndex: 1 }
  const [dear, cheap] = [hop(WETH, E18, FOO, 1n), { ...hop(BAR, 1n, USDC, E6), logIndex: 2 }]
  const route = { ...routeOf([dear, foreign, cheap]) }
  expect(routed([route], [dear, foreign, cheap]).hopsFlags).toEqual([0, FLAG_DISAGREEMENT, 0])
})

test('a trade of which nothing went through pools is worth nothing, and flagged', () => {
  const none = { token: USDC, amount: 0n, native: false }
  const through = { sell: none, buy: { ...none, token: FOO } }
  const sell = { ...none, amount: 5n }
  const ends = { sell, buy: { ...sell, token: FOO }, throughPools: through, routes: [{ ...through, hops: [] }] }
  expect(priceTrade(madeTrade([], ends), prices, true)).toMatchObject({
    usdE8: 0n,
    source: 'stablecoin',
    flags: FLAG_AMOUNTS_DIFFER,
  })
})

function value(...hops: Hop[]) {
  const { usdE8, source, flags } = priceTrade(madeTrade(hops), prices, true)
  return { usdE8, source, flags }
}

test('a stablecoin leg is the value, whichever side it is on', () => {
  expect(value(hop(USDC, 5n * E6, FOO, 1n))).toEqual({ usdE8: 5n * E8, source: 'stablecoin', flags: 0 })
  expect(value(hop(FOO, 1n, USDC, 7n * E6))).toEqual({ usdE8: 7n * E8, source: 'stablecoin', flags: 0 })
})

test('a depegged stablecoin counts at its rate and flags the trade', () => {
  expect(value(hop(DAI, 10n * E18, FOO, 1n))).toEqual({ usdE8: 5n * E8, source: 'stablecoin', flags: FLAG_DEPEGGED })
})

test('a route that passes whole through a stablecoin is worth what passed', () => {
  const expected = { usdE8: 9n * E8, source: 'route-stablecoin', flags: 0 }
  expect(value(hop(FOO, 1n, USDC, 9n * E6), hop(USDC, 9n * E6, BAR, 2n))).toEqual(expected)
})

test('what passes through stablecoins twice counts once, however it comes from one to the next', () => {
  const expected = { usdE8: 9n * E8, source: 'route-stablecoin', flags: 0 }
  const [into, out] = [hop(FOO, 1n, USDC, 9n * E6), hop(DAI, 18n * E18, BAR, 2n)]
  expect(value(into, hop(USDC, 9n * E6, WETH, E18), hop(WETH, E18, DAI, 18n * E18), out)).toEqual(expected)
  const around = [hop(USDC, 9n * E6, WBTC, 1n), hop(WBTC, 1n, USDC, 9n * E6)]
  expect(value(into, ...around, ...around, hop(USDC, 9n * E6, BAR, 2n))).toEqual(expected)
})

test('what goes back before the stablecoins does not count', () => {
  const [into, back] = [hop(FOO, 1n, USDC, 9n * E6), hop(USDC, 8n * E6, FOO, 1n)]
  const expected = { usdE8: 10n * E8, source: 'route-stablecoin', flags: 0 }
  expect(value(into, back, into, hop(USDC, 10n * E6, BAR, 2n))).toEqual(expected)
  expect(value(into, hop(USDC, 90n * E6, FOO, 1n), hop(USDC, 9n * E6, BAR, 2n)).usdE8).toBeNull()
})

test('a route of which a part is not read is worth what passed in the part that is', () => {
  const expected = { usdE8: 9n * E8, source: 'route-stablecoin', flags: 0 }
  expect(value(hop(FOO, 1n, WETH, 1n), hop(WBTC, 1n, USDC, 9n * E6), hop(USDC, 9n * E6, BAR, 2n))).toEqual(expected)
})

test('a route with a branch around the stablecoin is not valued by it', () => {
  expect(value(hop(FOO, 1n, USDC, 9n * E6), hop(FOO, 1n, BAR, 1n), hop(USDC, 9n * E6, BAR, 2n)).source).toBeNull()
})

test('the wrapped native leg is worth its price, before any other anchor', () => {
  expect(value(hop(WBTC, E8, WETH, 20n * E18))).toEqual({ usdE8: 60_000n * E8, source: 'native', flags: 0 })
  expect(value(hop(FOO, 1n, WBTC, E8))).toEqual({ usdE8: 60_000n * E8, source: 'anchor', flags: 0 })
})

test('anchored legs that disagree by more than 5 % flag the trade and keep the value', () => {
  expect(value(hop(USDC, 3_000n * E6, WETH, E18)).flags).toBe(0)
  expect(value(hop(USDC, 2_000n * E6, WETH, E18))).toEqual({
    usdE8: 2_000n * E8,
    source: 'stablecoin',
    flags: FLAG_DISAGREEMENT,
  })
})

test('an amount that the pair cannot have moved is capped at its reserve and what was paid in', () => {
  const bought = { ...hop(FOO, 1n, USDC, 100n * E6), reservesBefore: [60n * E6, 1n] as const }
  expect(value(bought)).toEqual({ usdE8: 60n * E8, source: 'stablecoin', flags: FLAG_CAPPED })
  const sold = { ...hop(USDC, 100n * E6, FOO, 1n), reservesBefore: [0n, 1n] as const }
  expect(value(sold)).toEqual({ usdE8: 100n * E8, source: 'stablecoin', flags: 0 })
})

test('a trade without any anchor is unpriced, not worth 0', () => {
  expect(value(hop(FOO, 1n, BAR, 1n))).toEqual({ usdE8: null, source: null, flags: 0 })
})

test('a value is rounded down, whatever is left over', () => {
  // 0.0000000149999999995 USD, then exactly 0.00000001 USD.
  expect(value(hop(DAI, 29_999_999_999n, FOO, 1n)).usdE8).toBe(1n)
  expect(value(hop(DAI, 20_000_000_000n, FOO, 1n)).usdE8).toBe(1n)
  expect(value(hop(DAI, 19_999_999_999n, FOO, 1n)).usdE8).toBe(0n)
})
