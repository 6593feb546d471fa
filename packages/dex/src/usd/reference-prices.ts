import type { Address } from '../chain/hex.ts'
import { DAY_S } from '../time.ts'
import { type AnchorPrice, type AnchorPrices, USD } from './anchor-prices.ts'
import { believableRates } from './believable-rates.ts'
import { median } from './median.ts'
import type { PoolRate, RatedPool } from './rated-pool.ts'
import type { ReferenceConfig } from './reference-pool.ts'
import { fallenStablecoins } from './stablecoin-rates.ts'

/** A state older than this before the block says nothing about its price. */
export const LOOK_BACK_S = DAY_S

/** Pools whose stable side is smaller than this part of the largest one's are skipped. */
const MIN_SHARE_DIVISOR = 100n

/**
 * Prices of the anchors at a block, from the states of the reference pools before it (docs/usd.md).
 *
 * @param pools with their states as of the end of the previous block
 * @param timestamp of the block, seconds
 */
export function pricesOf(config: ReferenceConfig, pools: Iterable<RatedPool>, timestamp: number): AnchorPrices {
  const byToken = poolsByToken(pools, timestamp - LOOK_BACK_S)
  const stablecoins = stablecoinPrices(config, byToken)
  const stablePrices = new Map([...stablecoins].map(([coin, { priceE18 }]) => [coin, priceE18] as const))
  const anchorPrice = (token: Address): AnchorPrice | null => {
    const decimals = config.decimals.get(token)
    const rates = believableRates(ratesOf(byToken, token, stablePrices))
    const priceE18 = median(withoutThin(rates, ({ depth }) => depth).map(({ price }) => price))
    return priceE18 === null || decimals === undefined ? null : { priceE18, decimals, depegged: false }
  }
  const pricesFor = (tokens: readonly Address[]) => {
    const prices = new Map<Address, AnchorPrice>()
    for (const token of tokens) {
      const price = anchorPrice(token)
      if (price !== null) prices.set(token, price)
    }
    return prices
  }
  return { stablecoins, native: pricesFor([config.wrappedNative]), others: pricesFor(config.anchors) }
}

type PoolsByToken = ReadonlyMap<Address, readonly RatedPool[]>

/** Those whose state is not older. */
function poolsByToken(pools: Iterable<RatedPool>, oldest: number): PoolsByToken {
  const byToken = new Map<Address, RatedPool[]>()
  for (const pool of pools) {
    if (pool.timestamp < oldest) continue
    for (const token of [pool.token0, pool.token1]) {
      const known = byToken.get(token)
      if (known === undefined) byToken.set(token, [pool])
      else known.push(pool)
    }
  }
  return byToken
}

function stablecoinPrices(config: ReferenceConfig, pools: PoolsByToken): Map<Address, AnchorPrice> {
  const known = config.stablecoins.filter((coin) => config.decimals.has(coin))
  const fallen = fallenStablecoins(known, (coin, trusted) => {
    const others = new Map([...trusted].map((other) => [other, USD] as const))
    // Near the peg both sides are worth the same: one that says otherwise counts for its smaller side.
    const smaller = ({ depth, tokens }: PoolRate) => (tokens < depth ? tokens : depth)
    return withoutThin(ratesOf(pools, coin, others), smaller).map(({ price }) => price)
  })
  return new Map(
    known.map((coin) => {
      const rate = fallen.get(coin)
      return [coin, { priceE18: rate ?? USD, decimals: config.decimals.get(coin) ?? 0, depegged: rate !== undefined }]
    }),
  )
}

/** What a token's pools with the given priced ones say that it costs. */
function ratesOf(pools: PoolsByToken, token: Address, quotes: ReadonlyMap<Address, bigint>): PoolRate[] {
  const rates: PoolRate[] = []
  for (const pool of pools.get(token) ?? []) {
    const quotePrice = quotes.get(pool.token0 === token ? pool.token1 : pool.token0)
    if (quotePrice === undefined) continue
    const rate =
      quotePrice === USD ? pool.ratesAtPar().find((one) => one.token === token) : pool.rateAt(token, quotePrice)
    if (rate) rates.push(rate)
  }
  return rates
}

/** Those that are not negligible beside the deepest. */
function withoutThin(rates: readonly PoolRate[], depthOf: (rate: PoolRate) => bigint): readonly PoolRate[] {
  const deepest = rates.reduce((max, rate) => (depthOf(rate) > max ? depthOf(rate) : max), 0n)
  return rates.filter((rate) => depthOf(rate) * MIN_SHARE_DIVISOR >= deepest)
}
