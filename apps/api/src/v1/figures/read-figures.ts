import { type Address, type NetworkName, type PoolAddress, type Token, usdE8Of, ZERO_ADDRESS } from '@dexfeed/dex'
import type { DayPages, IndexedNetwork, PoolDay, PoolRow, PriceOfDay, Reader, TokenDay } from '@dexfeed/store'
import type { LiveMarket } from '../../quote/live-market.ts'
import type { MarketFeed } from '../../quote/market-feed.ts'
import { addLiquidity } from './liquidity.ts'
import type { NetworkFigures } from './network-figures.ts'
import { type Figures, FigureTable } from './table/figure-table.ts'

export interface FiguresSource {
  reader: Pick<Reader, 'lastDay'>
  feed: Pick<MarketFeed, 'market' | 'changing'>
}

/**
 * Returns the figures of a network: trades as of one moment, and the value of the pools in the current market. Null:
 * the network is not indexed.
 *
 * @param seen receives the market before its pools are valued
 * @param now seconds since 1970
 * @throws StoreError
 */
export async function readFigures(
  { reader, feed }: FiguresSource,
  name: NetworkName,
  now: number,
  seen: (live: LiveMarket | null | undefined) => void,
): Promise<NetworkFigures | null> {
  const day = new Day(name)
  if (!(await reader.lastDay(name, now, day))) return null
  const { network, anchors, tokens, pools } = day
  if (network === null) throw new Error("the day's rows come after its network")
  const figures = { network, tokens, pools }
  const settled = () => feed.changing(name)
  await settled()
  const live = feed.market(name)
  seen(live)
  if (live) await addLiquidity(figures, live.market, anchors, settled)
  return figures
}

/** Collects a day as it is read. */
class Day implements DayPages {
  network: IndexedNetwork | null = null
  anchors: readonly Token[] = []
  tokens: FigureTable
  pools: FigureTable

  constructor(name: NetworkName) {
    this.tokens = new FigureTable(name)
    this.pools = new FigureTable(name)
  }

  begin(network: IndexedNetwork, anchors: readonly Token[]): void {
    this.network = network
    this.anchors = anchors
    this.tokens = new FigureTable(network.network)
    this.pools = new FigureTable(network.network)
  }

  takeTokens(days: readonly TokenDay[]): void {
    for (const day of days) this.tokens.push({ ...figuresOf(day.token, day, day, 0), isWeighted: day.isWeighted })
  }

  takePools(pools: readonly PoolRow[], days: readonly PoolDay[]): void {
    for (const [at, day] of days.entries()) {
      const pool = pools[at]
      if (pool === undefined) continue
      const side = this.#rankOf(pool.token0) <= this.#rankOf(pool.token1) ? 0 : 1
      this.pools.push(figuresOf(day.pool, day, side === 0 ? day.token0 : day.token1, side))
    }
  }

  /** Ranks a token as the unit of prices, best highest: stablecoins, the coin, other anchors. */
  #rankOf(token: Address): number {
    const { network } = this
    if (network === null) return 0
    if (network.stablecoins.includes(token)) return 3
    if (token === network.wrappedNative || token === ZERO_ADDRESS) return 2
    return network.anchors.includes(token) ? 1 : 0
  }
}

function figuresOf(
  address: Address | PoolAddress,
  { volumeUsd, trades, unpriced, firstSeen }: Pick<TokenDay, 'volumeUsd' | 'trades' | 'unpriced' | 'firstSeen'>,
  { priceUsd, changes }: PriceOfDay,
  side: Figures['side'],
): Figures {
  return {
    address,
    priceUsd,
    isWeighted: null,
    changesE4: changes.map((change) => (change === null ? null : BigInt(change.replace('.', '')))),
    volumeE8: usdE8Of(volumeUsd),
    swaps: trades,
    unpriced,
    firstSeen,
    liquidityE8: null,
    side,
  }
}
