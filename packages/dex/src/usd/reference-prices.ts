import { type AnchorPrice, type AnchorPrices, USD } from '../anchor-prices.ts'
import type { Address, BlockPoint } from '../chain.ts'
import { larger, smaller } from '../maths/integers.ts'
import { present } from '../present.ts'
import { Groups } from '../totals.ts'
import type { FollowedPool, ReferenceConfig } from './reference/reference-pool.ts'
import { type SettledRate, settledRates } from './reference/settled-rates.ts'

/**
 * Returns the anchors' prices at a block, based on the reference pools at the ends of earlier blocks
 * (docs/internals/usd.md).
 */
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

/**
 * Returns a token's rates in its pools with priced stablecoins: in settled pools if any of them has money, otherwise in
 * the others.
 */
type RatesOf = (token: Address, quotes: ReadonlyMap<Address, bigint>) => SettledRate[]

function ratesByToken(config: ReferenceConfig, pools: Iterable<FollowedPool>, block: BlockPoint): RatesOf {
  const settled = new Groups<Address, SettledRate>()
  const others = new Groups<Address, SettledRate>()
  for (const pool of pools) {
    const { isSettled, rates } = settledRates(pool, block, config.settlingBlocks)
    for (const rate of rates) (isSettled ? settled : others).add(rate.token, rate)
  }
  return (token, quotes) => {
    const inQuotes = (rates: readonly SettledRate[]) => rates.flatMap((rate) => withQuoteAt(rate, quotes) ?? [])
    const rates = inQuotes(settled.of(token))
    return rates.some(({ bid, ask }) => bid > 0n || ask > 0n) ? rates : inQuotes(others.of(token))
  }
}

function withQuoteAt(rate: SettledRate, quotes: ReadonlyMap<Address, bigint>): SettledRate | null {
  const quote = quotes.get(rate.quote)
  if (quote === undefined || quote === USD) return quote === undefined ? null : rate
  return { ...rate, price: (rate.price * quote) / USD, bid: (rate.bid * quote) / USD }
}

function stablecoinPrices(config: ReferenceConfig, ratesOf: RatesOf): Map<Address, AnchorPrice> {
  const coins = config.stablecoins.filter((coin) => config.decimals.has(coin))
  const asDollars = (trusted: Iterable<Address>) => new Map([...trusted].map((coin) => [coin, USD] as const))
  const fallen: ReadonlyMap<Address, MiddlePrice> = fallenStablecoins(
    coins,
    (coin, trusted) => ratesOf(coin, asDollars(trusted)),
    (trusted) => middlePrice(ratesOf(config.wrappedNative, asDollars(trusted))),
  )
  return new Map(
    coins.map((coin) => {
      const { price = USD, isOld = false } = fallen.get(coin) ?? {}
      const decimals = present(config.decimals.get(coin))
      return [coin, { priceE18: price, decimals, depegged: fallen.has(coin), isOld }]
    }),
  )
}

/** Within this band, a stablecoin counts as exactly 1 USD. */
const BAND_LOW = (97n * USD) / 100n
const BAND_HIGH = (103n * USD) / 100n

/** Returns a stablecoin's rates in its pools with the given coins, which count as 1 USD each. */
type Witnesses = (coin: Address, trusted: ReadonlySet<Address>) => readonly SettledRate[]

type NativePrice = (coins: readonly Address[]) => MiddlePrice | null

interface Suspect {
  coin: Address
  middle: MiddlePrice
  /** Money in pools that show the coin outside the band, minus the money in pools that show it inside. */
  majority: bigint
}

/**
 * Returns the stablecoins that lost their peg (docs/internals/usd.md, "Stablecoins"). The coin with the most money
 * against it is removed first, and no longer counts as a witness against others.
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
    // Both coins count as 1, so a pool counts equally against each of them.
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
  const ownPrice = nativePrice([coin])
  const others = nativePrice(trusted.filter((other) => other !== coin))
  if (ownPrice === null || others === null || isOutside((others.price * USD) / ownPrice.price)) return false
  return 2n * against < smaller(ownPrice.money, others.money)
}

/**
 * A total order, independent of the order in the configuration. On a tie, the coin with the lower price lost its peg:
 * nobody pays more than 1 USD for long for a coin that can be redeemed at 1.
 */
function compareSuspects(a: Suspect, b: Suspect): number {
  if (a.majority !== b.majority) return a.majority < b.majority ? 1 : -1
  if (a.middle.price !== b.middle.price) return a.middle.price < b.middle.price ? -1 : 1
  return a.coin < b.coin ? -1 : 1
}

function isOutside(rate: bigint): boolean {
  return rate < BAND_LOW || rate > BAND_HIGH
}

interface MiddlePrice {
  /** USD per whole token, scaled by 1e18 like `money`. */
  price: bigint
  money: bigint
  isOld: boolean
}

/**
 * Returns the mean price over the middle fifth of the money within 2 % of the pools' prices, rounded down, or null
 * without money. Tokens count at most at the market price.
 */
function middlePrice(rates: readonly SettledRate[]): MiddlePrice | null {
  const sorted = rates
    .filter(({ bid, ask }) => bid > 0n || ask > 0n)
    .sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0))
  const market = marketPrice(sorted)
  const weighed = sorted.map(({ price, bid, ask, isOld }) => {
    return { price, isOld, money: bid + (ask * smaller(price, market)) / USD }
  })
  const total = weighed.reduce((sum, { money }) => sum + money, 0n)
  if (total === 0n) return null
  // Money is multiplied by 5, so the middle fifth lies between 2 and 3 times the total.
  let end = 0n
  let sum = 0n
  let old = 0n
  for (const { price, isOld, money } of weighed) {
    const start = end
    end += 5n * money
    const within = smaller(end, 3n * total) - larger(start, 2n * total)
    if (within > 0n) sum += price * within
    if (isOld) old += money
  }
  return { price: sum / total, money: total, isOld: 2n * old > total }
}

/** Returns the lowest price with at least as much money up to it as above it. Tokens above it count at that price. */
function marketPrice(ascending: readonly SettledRate[]): bigint {
  let bids = 0n
  let asks = 0n
  for (const { bid, ask } of ascending) {
    bids += bid
    asks += ask
  }
  let below = 0n
  let market = 0n
  for (const { price, bid, ask } of ascending) {
    below += bid + (ask * price) / USD
    bids -= bid
    asks -= ask
    market = price
    if (below >= bids + (asks * price) / USD) break
  }
  return market
}
