import type { Address } from '../hex.ts'
import type { PoolState } from '../pool-state.ts'
import { type AnchorPrice, type AnchorPrices, USD } from './anchor-prices.ts'
import { median } from './median.ts'

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

/** Inside this band around 1 USD a stablecoin counts as exactly 1. */
const BAND_LOW = (97n * USD) / 100n
const BAND_HIGH = (103n * USD) / 100n
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
    return at !== undefined && at.timestamp >= timestamp - LOOK_BACK_S ? [{ ...pool, ...sides(at.state) }] : []
  })
  const stablecoins = new Map<Address, AnchorPrice>()
  for (const coin of config.stablecoins) {
    const decimals = config.decimals.get(coin)
    if (decimals === undefined) continue
    const others = new Map(config.stablecoins.flatMap((other) => (other === coin ? [] : [[other, USD] as const])))
    const rate = medianPrice(config, fresh, coin, others) ?? USD
    const depegged = rate < BAND_LOW || rate > BAND_HIGH
    stablecoins.set(coin, { priceE18: depegged ? rate : USD, decimals, depegged })
  }
  const stablePrices = new Map([...stablecoins].map(([coin, { priceE18 }]) => [coin, priceE18] as const))
  const anchorPrice = (token: Address): AnchorPrice | null => {
    const decimals = config.decimals.get(token)
    const priceE18 = medianPrice(config, fresh, token, stablePrices)
    return priceE18 === null || decimals === undefined ? null : { priceE18, decimals, depegged: false }
  }
  const others = new Map<Address, AnchorPrice>()
  for (const anchor of config.anchors) {
    const price = anchorPrice(anchor)
    if (price !== null) others.set(anchor, price)
  }
  return { stablecoins, wrappedNative: config.wrappedNative, native: anchorPrice(config.wrappedNative), others }
}

/** A pool's two sides in base units: reserves, or for concentrated liquidity the virtual ones at the current price. */
interface RatedPool extends ReferencePool {
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

/** Median price of a token over its pools with the given priced tokens; the thinnest pools are left out. */
function medianPrice(
  { decimals }: ReferenceConfig,
  pools: readonly RatedPool[],
  token: Address,
  quotes: ReadonlyMap<Address, bigint>,
): bigint | null {
  const scale = (address: Address) => 10n ** BigInt(decimals.get(address) ?? 0)
  const rated = pools.flatMap((pool) => {
    const isToken0 = pool.token0 === token
    if (!isToken0 && pool.token1 !== token) return []
    const quote = isToken0 ? pool.token1 : pool.token0
    const quotePrice = quotes.get(quote)
    const [top, bottom] = isToken0 ? [pool.numerator, pool.denominator] : [pool.denominator, pool.numerator]
    const quoteSide = isToken0 ? pool.side1 : pool.side0
    if (quotePrice === undefined || !decimals.has(quote) || bottom === 0n || quoteSide === 0n) return []
    const price = (top * scale(token) * quotePrice) / (bottom * scale(quote))
    return price === 0n ? [] : [{ price, depth: (quoteSide * quotePrice) / scale(quote) }]
  })
  const deepest = rated.reduce((max, { depth }) => (depth > max ? depth : max), 0n)
  return median(rated.filter(({ depth }) => depth * MIN_SHARE_DIVISOR >= deepest).map(({ price }) => price))
}
