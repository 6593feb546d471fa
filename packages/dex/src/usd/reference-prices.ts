import type { BlockPoint } from '../chain/block-range.ts'
import type { Address } from '../chain/hex.ts'
import { type AnchorPrice, type AnchorPrices, USD } from './anchor-prices.ts'
import type { FollowedPool } from './reference/followed-pool.ts'
import { type MiddlePrice, middlePrice } from './reference/middle-price.ts'
import type { SettledRate } from './reference/pool-rate.ts'
import { settledRates } from './reference/settled-rates.ts'
import type { ReferenceConfig } from './reference-pool.ts'
import { fallenStablecoins } from './stablecoin-rates.ts'

/**
 * Prices of the anchors at a block, from what stood in the reference pools at the ends of the blocks before it
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

/** What the pools of a token with the given priced stablecoins tell; of those that are settled, if there are any. */
type RatesOf = (token: Address, quotes: ReadonlyMap<Address, bigint>) => SettledRate[]

function ratesByToken(config: ReferenceConfig, pools: Iterable<FollowedPool>, block: BlockPoint): RatesOf {
  const [settled, others] = [new Map<Address, SettledRate[]>(), new Map<Address, SettledRate[]>()]
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

/** A rate with its stablecoin at another price than 1 USD. */
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
      const decimals = config.decimals.get(coin) ?? 0
      return [coin, { priceE18: price, decimals, depegged: fallen.has(coin), isOld }]
    }),
  )
}
