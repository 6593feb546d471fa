import { expect, test } from 'vitest'
import { at, madeHop, madeTrade } from '../../test/made-hop.ts'
import { type AnchorPrices, USD } from '../anchor-prices.ts'
import { comparedEnds } from './compared-ends.ts'

const [WETH, USDC, TOK, WRAPPER] = [at('e1'), at('c'), at('f00'), at('f1')]
const leg = (token: typeof WETH, amount: bigint) => ({ token, amount, native: false })
const [sold, bought] = [leg(TOK, 100n), leg(WETH, 10n ** 18n)]
const trade = madeTrade([madeHop(0, [TOK, 100n], [WETH, 10n ** 18n])], {
  sell: sold,
  buy: leg(USDC, 1_990_000_000n),
  throughPools: { sell: sold, buy: bought },
  endsToCompare: ['buy'],
})
const each = (priceE18: bigint, decimals: number) => ({ priceE18, decimals, depegged: false, isOld: false })
const prices: AnchorPrices = {
  stablecoins: new Map([[USDC, each(USD, 6)]]),
  native: new Map([[WETH, each(2_000n * USD, 18)]]),
  others: new Map(),
}
const { endsToCompare: _, ...compared } = trade
const decimalsOf = (token: typeof WETH) => (token === USDC ? 6 : 18)

test('an end of the hops’ worth stays, one of another worth is the pools’', () => {
  expect(comparedEnds(trade, prices, decimalsOf)).toEqual(compared)
  const { throughPools: _, ...asPools } = { ...compared, buy: bought, isPartial: true }
  expect(comparedEnds({ ...trade, buy: leg(USDC, 1n) }, prices, decimalsOf)).toEqual(asPools)
})

test('a trade of the pools’ ends is as it was', () => {
  expect(comparedEnds(compared, prices, decimalsOf)).toBe(compared)
})

test('where the coin has no price nothing is compared: the end stays, and the trade is partial', () => {
  expect(comparedEnds(trade, { ...prices, native: new Map() }, decimalsOf)).toEqual({ ...compared, isPartial: true })
})

test('in a block where the coin has a price, an end without one is the pools’', () => {
  expect(comparedEnds(trade, { ...prices, stablecoins: new Map() }, decimalsOf)?.buy).toEqual(bought)
})

test('an end of as many units as the pools’, in a token with other decimals, is the pools’', () => {
  const wrapped = { ...compared, buy: leg(WRAPPER, 10n ** 18n) }
  const { throughPools: _, ...asPools } = { ...wrapped, buy: bought, isPartial: true }
  const ends = (decimals?: number | null) =>
    comparedEnds(wrapped, prices, (token) => (token === WRAPPER ? decimals : decimalsOf(token)))
  expect(ends(18)).toBe(wrapped)
  for (const decimals of [0, null]) expect(ends(decimals)).toEqual(asPools)
  // The decimals could not be read yet.
  expect(ends(undefined)).toBe(wrapped)
})

test('where the coin has no price, an order without hops keeps the coins that somebody unwrapped', () => {
  const order = madeTrade([], { sell: leg(TOK, 100n), buy: { ...leg(WETH, 5n), native: true }, isPartial: true })
  const made = { ...order, endsToCompare: ['buy'] } as const
  expect(comparedEnds(made, { ...prices, native: new Map() }, decimalsOf)).toEqual(order)
  expect(comparedEnds(made, prices, decimalsOf)).toBeNull()
})
