import {
  type Address,
  type AnchorPrice,
  heldAmounts,
  heldE8,
  isCoin,
  type Market,
  MarketPrices,
  MINUTE,
  type NetworkName,
  type PoolAddress,
  type MarketPrice as PriceOfSale,
  pricesOfStates,
  QuoteOverBudget,
  QuoteWork,
  valueE8,
} from '@dexfeed/dex'
import type { TokenCatalog } from '../../token-catalog.ts'
import { referencePools } from '../anchor-prices.ts'
import type { LiveMarket, PricedMarket } from '../live-market.ts'
import type { Markets } from '../quote-desk.ts'

/** Lifetime of the list of reference pools; their states are always current. */
const POOLS_LIFE_MS = MINUTE
/** Maximum work per price: about a millisecond. Honest tokens need a fiftieth. */
const MAX_PRICE_WORK = 20_000

interface References {
  pools: readonly PoolAddress[]
  anchors: readonly { address: Address; decimals: number }[]
  config: string
  readAt: number
}

type MarketPrice = PriceOfSale<AnchorPrice>

export type KnownPrice =
  | { kind: 'reference'; price: AnchorPrice; sale: MarketPrice | null }
  | ({ kind: 'market' } & MarketPrice)

/**
 * Computes the USD prices of all tokens on demand, once per state of a market: anchors by reference pools, other tokens
 * by what they can be sold for.
 */
export class PriceBoard {
  readonly #feed: Markets
  readonly #catalog: TokenCatalog
  // Weak, because an old market must not stay in memory.
  readonly #references = new WeakMap<Market, References>()
  readonly #finding = new WeakMap<Market, Promise<void>>()

  constructor(feed: Markets, catalog: TokenCatalog) {
    this.#feed = feed
    this.#catalog = catalog
  }

  /** Call it before the other methods. */
  async prepare(live: LiveMarket): Promise<void> {
    const { market, network } = live
    const config = [network.wrappedNative, ...network.stablecoins, '', ...network.anchors].join()
    const known = this.#references.get(market)
    const isKnown = known?.config === config
    if (isKnown && performance.now() - known.readAt < POOLS_LIFE_MS) return
    let finding = this.#finding.get(market)
    if (finding === undefined) {
      finding = this.#find(live, config).finally(() => this.#finding.delete(market))
      this.#finding.set(market, finding)
    }
    // The old list is used meanwhile; the next request reports a failure.
    if (isKnown) finding.catch(() => undefined)
    else await finding
  }

  async #find({ market, network }: LiveMarket, config: string): Promise<void> {
    const settled = () => this.#feed.changing(network.network)
    await settled()
    const pools = await referencePools(market, network, settled)
    const addresses = [...new Set([network.wrappedNative, ...network.stablecoins, ...network.anchors])]
    const tokens = await this.#catalog.tokens(network.network, addresses)
    const anchors = addresses.flatMap((address) => {
      const decimals = tokens.get(address)?.decimals
      return decimals === undefined ? [] : [{ address, decimals }]
    })
    this.#references.set(market, { pools, anchors, config, readAt: performance.now() })
  }

  priceOf(live: LiveMarket, token: Address): KnownPrice | null {
    const { anchors, prices } = this.#pricedOf(live)
    const price = anchors.get(token)
    const sale = saleOf(prices, token)
    if (price !== undefined) return { kind: 'reference', price, sale }
    return sale && { kind: 'market', ...sale }
  }

  /** Returns USD times 10^8, rounded down; null without a price. */
  usdE8(live: LiveMarket, token: Address, amount: bigint): bigint | null {
    const { anchors, prices } = this.#pricedOf(live)
    const price = anchors.get(token)
    if (price !== undefined) return valueE8(amount, price)
    const sale = saleOf(prices, token)
    return sale && valueE8((amount * sale.amountOut) / sale.amountIn, sale.endPrice)
  }

  /** Returns what a pool holds of anchors in USD times 10^8, rounded down; null if that is unknown. */
  liquidityE8(live: LiveMarket, pool: PoolAddress): bigint | null {
    const inState = live.market.pool(pool)
    const held = inState && heldAmounts(inState)
    return held && heldE8(inState.pool, held, this.#pricedOf(live).anchors)
  }

  #pricedOf(live: LiveMarket): PricedMarket {
    const { network, market } = live
    const references = this.#references.get(market)
    if (live.priced !== undefined && live.priced.references === references) return live.priced
    const { pools = [], anchors: tokens = [] } = references ?? {}
    const inState = pools.flatMap((pool) => market.pool(pool) ?? [])
    const anchors = pricesOfStates(inState, network, tokens)
    const prices = new MarketPrices(market, anchors, new Set(network.stablecoins))
    live.priced = { references, anchors, prices }
    return live.priced
  }
}

function saleOf(prices: MarketPrices<AnchorPrice>, token: Address): MarketPrice | null {
  try {
    return prices.of(token, new QuoteWork(MAX_PRICE_WORK))
  } catch (error) {
    if (error instanceof QuoteOverBudget) return null
    throw error
  }
}

export function tradedAs(network: NetworkName, token: Address, wrappedNative: Address): Address {
  return isCoin(network, token) ? wrappedNative : token
}
