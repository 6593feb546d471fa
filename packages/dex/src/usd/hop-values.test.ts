import { expect, test } from 'vitest'
import { at, madeHop } from '../../test/made-hop.ts'
import { type AnchorPrices, USD } from '../anchor-prices.ts'
import { FLAG_CAPPED, FLAG_DISAGREEMENT, FLAG_JIT_LIQUIDITY, FLAG_UNCONFIRMED, type Hop } from '../trades/trade.ts'
import { hopValues } from './trade-value.ts'

const [USDC, WETH, WBTC, FOO, BAR, BAZ] = [at('c'), at('e1'), at('b7c'), at('f00'), at('ba1'), at('ba2')]
const price = (usd: bigint) => ({ priceE18: usd * USD, decimals: 0, depegged: false, isOld: false })
const prices: AnchorPrices = {
  stablecoins: new Map([[USDC, price(1n)]]),
  native: new Map([[WETH, price(3_000n)]]),
  others: new Map([[WBTC, price(60_000n)]]),
}
const E8 = 10n ** 8n
const swap = (logIndex: number, tokenIn: typeof FOO, tokenOut: typeof FOO, over: Partial<Hop> = {}) =>
  madeHop(logIndex, [tokenIn, 7n], [tokenOut, 5n], over)
const trade = { usdE8: 11n, flags: 0 }
const valuesOf = (...hops: Hop[]) => hopValues(hops, prices, trade).hopsUsdE8
const flagsOf = (...hops: Hop[]) => hopValues(hops, prices, { usdE8: 11n, flags: 15 }).hopsFlags

test.each<[string, Hop, bigint]>([
  ['a stablecoin paid in', swap(1, USDC, WETH), 7n * E8],
  ['a stablecoin paid out', swap(1, WBTC, USDC), 5n * E8],
  ['the wrapped coin', swap(1, FOO, WETH), 15_000n * E8],
  ['the wrapped coin rather than another anchor', swap(1, WBTC, WETH), 15_000n * E8],
  ['another anchor', swap(1, WBTC, FOO), 420_000n * E8],
])('a hop with %s is worth that', (_, hop, value) => {
  expect(valuesOf(hop)).toEqual([value])
})

test('a pair cannot have moved more of an anchor than it held', () => {
  const [token0, token1] = [USDC, FOO].sort()
  const reservesBefore = token0 === USDC ? ([3n, 9n] as const) : ([9n, 3n] as const)
  const pool = { ...swap(1, FOO, USDC).pool, token0: token0 ?? USDC, token1: token1 ?? FOO }
  expect(valuesOf(swap(1, FOO, USDC, { pool, reservesBefore }))).toEqual([3n * E8])
})

test('a hop of two other tokens has the value of its trade where the hops are one line', () => {
  expect(valuesOf(swap(1, FOO, BAR))).toEqual([11n])
  expect(valuesOf(swap(1, USDC, FOO), swap(2, FOO, BAR))).toEqual([7n * E8, 11n])
  expect(valuesOf(swap(1, FOO, BAR), swap(2, BAR, BAZ))).toEqual([11n, 11n])
})

test.each<[string, Hop[]]>([
  ['two branches', [swap(1, FOO, BAR), swap(2, FOO, BAR)]],
  ['another order', [swap(1, BAR, BAZ), swap(2, FOO, BAR)]],
  ['a way back', [swap(1, FOO, BAR), swap(2, BAR, FOO)]],
  ['a gap', [swap(1, FOO, BAR), swap(2, BAZ, at('5'))]],
])('it has none in %s', (_, hops) => {
  expect(valuesOf(...hops)).toEqual([null, null])
})

test('a hop is flagged whose two anchors disagree by more than a twentieth of the larger', () => {
  const sold = (usdc: bigint) => madeHop(1, [USDC, usdc], [WETH, 100n])
  expect([285_000n, 284_999n, 315_789n, 315_790n].map((usdc) => flagsOf(sold(usdc)))).toEqual([
    undefined,
    [FLAG_DISAGREEMENT],
    undefined,
    [FLAG_DISAGREEMENT],
  ])
})

test('so is one that was capped, and one with the value of a trade that is', () => {
  const [token0, token1] = [USDC, FOO].sort()
  const reservesBefore = token0 === USDC ? ([3n, 9n] as const) : ([9n, 3n] as const)
  const pool = { ...swap(1, FOO, USDC).pool, token0: token0 ?? USDC, token1: token1 ?? FOO }
  expect(flagsOf(swap(1, FOO, USDC, { pool, reservesBefore }))).toEqual([FLAG_CAPPED])
  expect(flagsOf(swap(1, USDC, FOO), swap(2, FOO, BAR))).toEqual([0, FLAG_DISAGREEMENT | FLAG_CAPPED])
})

test('a hop without a value has no flag', () => {
  expect(flagsOf(swap(1, FOO, BAR), swap(2, FOO, BAR))).toBeUndefined()
})

test('a hop of liquidity that was there for its transaction alone is flagged, and keeps its value', () => {
  const jit = { isOfJitLiquidity: true } as const
  expect(flagsOf(swap(1, USDC, FOO), swap(2, USDC, FOO, jit))).toEqual([0, FLAG_JIT_LIQUIDITY])
  expect(valuesOf(swap(1, USDC, FOO, jit))).toEqual([7n * E8])
  // The amount that was paid out of it has the value of the first hop.
  expect(flagsOf(swap(1, BAR, FOO), swap(2, FOO, USDC, jit))).toEqual([31 & ~9, FLAG_JIT_LIQUIDITY])
})

test('a hop that the transfers do not confirm is flagged, and what has the value of its trade with it', () => {
  const unconfirmed = { isUnconfirmed: true } as const
  expect(flagsOf(swap(1, USDC, FOO), swap(2, USDC, FOO, unconfirmed))).toEqual([0, FLAG_UNCONFIRMED])
  const ofTrade = FLAG_DISAGREEMENT | FLAG_CAPPED | FLAG_UNCONFIRMED
  expect(flagsOf(swap(1, BAR, FOO), swap(2, FOO, USDC, unconfirmed))).toEqual([ofTrade, FLAG_UNCONFIRMED])
})
