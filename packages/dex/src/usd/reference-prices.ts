import { type AnchorPrice, type AnchorPrices, USD } from '../anchor-prices.ts'
import type { BlockPoint } from '../chain/block-range.ts'
import type { Address } from '../chain/hex.ts'
import { present } from '../present.ts'
import { type MiddlePrice, middlePrice, type SettledRate } from './reference/middle-price.ts'
import type { FollowedPool, ReferenceConfig } from './reference/reference-pool.ts'
import { settledRates } from './reference/settled-rates.ts'

/** Returns the anchors' prices at a block, from reference pools at earlier blocks' ends (docs/internals/usd.md). */
export function pricesOf(config: ReferenceConfig, pools: Iterable<FollowedPool>, block: BlockPoint): AnchorPrices {
  const ratesOf = ratesByToken(config, pools, block)
  const stablecoins = stablecoinPrices(config, ratesOf)
  const stablePrices = new Map([...stablecoins].map(([coin, { priceE18 }]) => [coin, priceE18] as const))
  const pricesFor = (tokens: readonly Address[]) => {
    const prices = new Map<Address, AnchorPrice>()
    for (const token of tokens) {
      const middle = middlePrice(ratesOf(token, stablePrices))
      const decimals = config.decimals.get(token)
      if (middle === null || decimals === undefined) continue
      prices.set(token, { priceE18: middle.price, decimals, depegged: false, isOld: middle.isOld })
    }
    return prices
  }
  return { stablecoins, native: pricesFor([config.wrappedNative]), others: pricesFor(config.anchors) }
}

/** Returns a token's rates in its pools with the given priced stablecoins; only settled pools if there are any. */
type RatesOf = (token: Address, quotes: ReadonlyMap<Address, bigint>) => SettledRate[]

function ratesByToken(config: ReferenceConfig, pools: Iterable<FollowedPool>, block: BlockPoint): RatesOf {
  const settled = new Map<Address, SettledRate[]>()
  const others = new Map<Address, SettledRate[]>()
  for (const pool of pools) {
    const { isSettled, rates } = settledRates(pool, block, config.settlingBlocks)
    const byToken = isSettled ? settled : others
    for (const rate of rates) {
      const known = byToken.get(rate.token)
      if (known === undefined) byToken.set(rate.token, [rate])
      else known.push(rate)
    }
  }
  return (token, quotes) => {
    const among = (rates: readonly SettledRate[] = []) => rates.flatMap((rate) => withQuoteAt(rate, quotes) ?? [])
    const rates = among(settled.get(token))
    return rates.some(({ bid, ask }) => bid > 0n || ask > 0n) ? rates : among(others.get(token))
  }
}

/** Returns a rate with its stablecoin at another price than 1 USD. */
function withQuoteAt(rate: SettledRate, quotes: ReadonlyMap<Address, bigint>): SettledRate | null {
  const quote = quotes.get(rate.quote)
  if (quote === undefined || quote === USD) return quote === undefined ? null : rate
  return { ...rate, price: (rate.price * quote) / USD, bid: (rate.bid * quote) / USD }
}

function stablecoinPrices(config: ReferenceConfig, ratesOf: RatesOf): Map<Address, AnchorPrice> {
  const known = config.stablecoins.filter((coin) => config.decimals.has(coin))
  const asDollars = (coins: Iterable<Address>) => new Map([...coins].map((coin) => [coin, USD] as const))
  const fallen: ReadonlyMap<Address, MiddlePrice> = fallenStablecoins(
    known,
    (coin, trusted) => ratesOf(coin, asDollars(trusted)),
    (coins) => middlePrice(ratesOf(config.wrappedNative, asDollars(coins))),
  )
  return new Map(
    known.map((coin) => {
      const { price = USD, isOld = false } = fallen.get(coin) ?? {}
      const decimals = present(config.decimals.get(coin))
      return [coin, { priceE18: price, decimals, depegged: fallen.has(coin), isOld }]
    }),
  )
}

/** Inside this band around 1 USD a stablecoin counts as exactly 1. */
const BAND_LOW = (97n * USD) / 100n
const BAND_HIGH = (103n * USD) / 100n

/** Returns the rates of a stablecoin in its pools with the given coins, each valued at 1 USD. */
type Witnesses = (coin: Address, trusted: ReadonlySet<Address>) => readonly SettledRate[]

/** Returns the price of the wrapped coin in its pools with the given stablecoins, each valued at 1 USD. */
type NativePrice = (coins: readonly Address[]) => MiddlePrice | null

interface Suspect {
  coin: Address
  middle: MiddlePrice
  /** Money in pools whose rate says that the coin left the band, less the money in pools that say that it did not. */
  majority: bigint
}

/**
 * Returns the stablecoins that left their peg, with their rates.
 *
 * A coin is measured by its pools with the other stablecoins. But a pool outside the band only shows that one of its
 * two coins has fallen. So the coin with the most money against it is dismissed first, also as a witness. Then the rest
 * is measured again, until all remaining coins agree. If the same amount speaks against two coins, the lower one has
 * fallen: traders do not pay more than 1 USD for long for a coin that is redeemed at 1. A coin without a witness counts
 * as 1.
 *
 * Little money against a coin can be refuted by the wrapped coin's pools, if the wrapped coin costs the same in that
 * coin as in others.
 */
function fallenStablecoins(
  coins: readonly Address[],
  witnesses: Witnesses,
  nativePrice: NativePrice,
): Map<Address, MiddlePrice> {
  const trusted = new Set(coins)
  const fallen = new Map<Address, MiddlePrice>()
  for (;;) {
    const worst = suspects(trusted, witnesses, nativePrice).sort(compareSuspects)[0]
    if (worst === undefined) break
    trusted.delete(worst.coin)
    fallen.set(worst.coin, worst.middle)
  }
  for (const coin of fallen.keys()) {
    const middle = middlePrice(witnesses(coin, trusted))
    if (middle !== null) fallen.set(coin, middle)
  }
  return new Map([...fallen].filter(([, { price }]) => isOutside(price)))
}

function suspects(trusted: ReadonlySet<Address>, witnesses: Witnesses, nativePrice: NativePrice): Suspect[] {
  return [...trusted].flatMap((coin) => {
    const rates = witnesses(coin, trusted)
    const middle = middlePrice(rates)
    if (middle === null || !isOutside(middle.price)) return []
    if (isRefuted(coin, [...trusted], rates, nativePrice)) return []
    // Both coins of a pool count as 1 here, so a pool speaks against both of them equally.
    const majority = rates.reduce((sum, { price, bid, ask }) => sum + (isOutside(price) ? bid + ask : -bid - ask), 0n)
    return [{ coin, middle, majority }]
  })
}

function isRefuted(
  coin: Address,
  trusted: readonly Address[],
  rates: readonly SettledRate[],
  nativePrice: NativePrice,
): boolean {
  const against = rates.reduce((sum, { price, bid, ask }) => (isOutside(price) ? sum + bid + ask : sum), 0n)
  const own = nativePrice([coin])
  const others = nativePrice(trusted.filter((other) => other !== coin))
  if (own === null || others === null || isOutside((others.price * USD) / own.price)) return false
  return 2n * against < (own.money < others.money ? own.money : others.money)
}

/** A total order, so that the order of coins in the configuration does not matter. */
function compareSuspects(a: Suspect, b: Suspect): number {
  if (a.majority !== b.majority) return a.majority < b.majority ? 1 : -1
  if (a.middle.price !== b.middle.price) return a.middle.price < b.middle.price ? -1 : 1
  return a.coin < b.coin ? -1 : 1
}

function isOutside(rate: bigint): boolean {
  return rate < BAND_LOW || rate > BAND_HIGH
}
