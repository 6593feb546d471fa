import type { Address } from '../hex.ts'
import type { PoolState } from '../pool-state.ts'
import { type AnchorPrice, type AnchorPrices, USD } from './anchor-prices.ts'
import { believableRates, certainAmounts, type Rate } from './believable-rates.ts'
import { median } from './median.ts'
import { fallenStablecoins } from './stablecoin-rates.ts'

/** A pool of two anchors whose state tells a price. */
export interface ReferencePool {
  address: Address
  token0: Address
  token1: Address
}

export interface ReferenceConfig {
  wrappedNative: Address
  stablecoins: readonly Address[]
  anchors: readonly Address[]
  /** Of every token above; one without a usable value is no anchor. */
  decimals: ReadonlyMap<Address, number>
}

/** State of a reference pool after its last price event, with that block's time. */
export interface ReferenceState {
  state: PoolState
  timestamp: number
}

/** A state older than this before the block says nothing about its price. */
export const LOOK_BACK_S = 24 * 60 * 60

/** Pools whose stable side is smaller than this part of the largest one's are left out. */
const MIN_SHARE_DIVISOR = 100n
const Q96 = 2n ** 96n

/**
 * Prices of the anchors at a block, from the states of the reference pools before it (DESIGN, "USD value").
 *
 * @param states by pool address, as of the end of the previous block
 * @param timestamp of the block, seconds
 */
export function referencePrices(
  config: ReferenceConfig,
  pools: readonly ReferencePool[],
  states: ReadonlyMap<Address, ReferenceState>,
  timestamp: number,
): AnchorPrices {
  const fresh = pools.flatMap((pool): RatedPool[] => {
    const at = states.get(pool.address)
    return at !== undefined && at.timestamp >= timestamp - LOOK_BACK_S
      ? [{ ...pool, ...sides(at.state), state: at.state }]
      : []
  })
  const stablecoins = stablecoinPrices(config, fresh)
  const stablePrices = new Map([...stablecoins].map(([coin, { priceE18 }]) => [coin, priceE18] as const))
  const anchorPrice = (token: Address): AnchorPrice | null => {
    const decimals = config.decimals.get(token)
    const rates = believableRates(ratesOf(config, fresh, token, stablePrices))
    const priceE18 = median(withoutThin(rates).map(({ price }) => price))
    return priceE18 === null || decimals === undefined ? null : { priceE18, decimals, depegged: false }
  }
  const others = new Map<Address, AnchorPrice>()
  for (const anchor of config.anchors) {
    const price = anchorPrice(anchor)
    if (price !== null) others.set(anchor, price)
  }
  return { stablecoins, wrappedNative: config.wrappedNative, native: anchorPrice(config.wrappedNative), others }
}

function stablecoinPrices(config: ReferenceConfig, pools: readonly RatedPool[]): Map<Address, AnchorPrice> {
  const known = config.stablecoins.filter((coin) => config.decimals.has(coin))
  const fallen = fallenStablecoins(known, (coin, trusted) => {
    const others = new Map([...trusted].flatMap((other) => (other === coin ? [] : [[other, USD] as const])))
    const rates = ratesOf(config, pools, coin, others).map(({ price, depth, tokens }) => {
      // Near the peg both sides are worth the same: one that says otherwise counts for its smaller side.
      return { price, depth: tokens < depth ? tokens : depth }
    })
    return withoutThin(rates).map(({ price }) => price)
  })
  return new Map(
    known.map((coin) => {
      const rate = fallen.get(coin)
      return [coin, { priceE18: rate ?? USD, decimals: config.decimals.get(coin) ?? 0, depegged: rate !== undefined }]
    }),
  )
}

/** A pool's two sides in base units: reserves, or for concentrated liquidity the virtual ones at the current price. */
interface RatedPool extends ReferencePool {
  state: PoolState
  side0: bigint
  side1: bigint
  /** Price of token0 in token1, base units: numerator / denominator. */
  numerator: bigint
  denominator: bigint
}

function sides(state: PoolState): Pick<RatedPool, 'side0' | 'side1' | 'numerator' | 'denominator'> {
  if (state.kind === 'pair') {
    const { reserve0, reserve1 } = state
    return { side0: reserve0, side1: reserve1, numerator: reserve1, denominator: reserve0 }
  }
  const { sqrtPriceX96: root, liquidity } = state
  // Virtual reserves x = L / sqrt(P), y = L * sqrt(P) (Uniswap v3 core whitepaper, 6.2).
  const side0 = root === 0n ? 0n : (liquidity * Q96) / root
  return { side0, side1: (liquidity * root) / Q96, numerator: root * root, denominator: Q96 * Q96 }
}

interface PoolRate extends Rate {
  /** The sides, scaled by 1e18: USD on the stable one, whole tokens on the other. */
  depth: bigint
  tokens: bigint
}

/** What a token's pools with the given priced ones say that it costs. */
function ratesOf(
  { decimals }: ReferenceConfig,
  pools: readonly RatedPool[],
  token: Address,
  quotes: ReadonlyMap<Address, bigint>,
): PoolRate[] {
  const unit = 10n ** BigInt(decimals.get(token) ?? 0)
  return pools.flatMap((pool): PoolRate[] => {
    const isToken0 = pool.token0 === token
    if (!isToken0 && pool.token1 !== token) return []
    const quote = isToken0 ? pool.token1 : pool.token0
    const [quotePrice, quoteDecimals] = [quotes.get(quote), decimals.get(quote)]
    const [top, bottom] = isToken0 ? [pool.numerator, pool.denominator] : [pool.denominator, pool.numerator]
    const [tokens, quoted] = isToken0 ? [pool.side0, pool.side1] : [pool.side1, pool.side0]
    if (quotePrice === undefined || quoteDecimals === undefined || bottom === 0n || quoted === 0n) return []
    const quoteUnit = 10n ** BigInt(quoteDecimals)
    const price = (top * unit * quotePrice) / (bottom * quoteUnit)
    if (price === 0n) return []
    const funds = () => {
      const [amount0, amount1] = certainAmounts(pool.state)
      const [ask, bid] = isToken0 ? [amount0, amount1] : [amount1, amount0]
      return { bid: (bid * quotePrice) / quoteUnit, ask: (ask * USD) / unit }
    }
    return [{ price, depth: (quoted * quotePrice) / quoteUnit, tokens: (tokens * USD) / unit, funds }]
  })
}

/** Those that are not negligible beside the deepest. */
function withoutThin<T extends { depth: bigint }>(rates: readonly T[]): readonly T[] {
  const deepest = rates.reduce((max, { depth }) => (depth > max ? depth : max), 0n)
  return rates.filter(({ depth }) => depth * MIN_SHARE_DIVISOR >= deepest)
}
