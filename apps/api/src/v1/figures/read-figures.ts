import { type Address, type NetworkName, type PoolAddress, type Token, usdE8Of, ZERO_ADDRESS } from '@dexfeed/dex'
import type { DayPages, IndexedNetwork, PoolDay, PoolRow, PriceOfDay, Reader, TokenDay } from '@dexfeed/store'
import type { LiveMarket } from '../../quote/live-market.ts'
import type { MarketFeed } from '../../quote/market-feed.ts'
import { pacer } from './in-steps.ts'
import { liquidityOf } from './liquidity.ts'
import type { Figures, NetworkFigures, PoolFigures } from './network-figures.ts'

export interface FiguresSource {
  reader: Pick<Reader, 'lastDay'>
  feed: Pick<MarketFeed, 'market' | 'changing'>
}

/**
 * The figures of a network: what was traded, as of one moment, and what pools hold in the state that quotes have then.
 * Null: the network is not being indexed.
 *
 * @param seen is told in which state pools hold that, before it is looked at
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
  if (network === null) throw new Error('a day that was read has its network')
  const settled = () => feed.changing(name)
  await settled()
  const live = feed.market(name)
  seen(live)
  if (!live) return { network, tokens, pools }
  const liquidity = await liquidityOf(live.market, network, anchors, settled)
  const pause = pacer()
  for (const [figures, held] of [[tokens, liquidity.tokens] as const, [pools, liquidity.pools] as const]) {
    for (const one of figures.values()) {
      one.liquidityE8 = held.get(one.address) ?? null
      const turned = pause()
      if (turned) await turned
    }
  }
  return { network, tokens, pools }
}

type Filled<T extends Figures> = Omit<T, 'liquidityE8'> & { liquidityE8: bigint | null }

/** Takes in a day as it is read. */
class Day implements DayPages {
  readonly #name: NetworkName
  network: IndexedNetwork | null = null
  anchors: readonly Token[] = []
  tokens = new Map<Address, Filled<Figures>>()
  pools = new Map<PoolAddress, Filled<PoolFigures>>()

  constructor(name: NetworkName) {
    this.#name = name
  }

  begin(network: IndexedNetwork, anchors: readonly Token[]): void {
    this.network = network
    this.anchors = anchors
    this.tokens = new Map()
    this.pools = new Map()
  }

  takeTokens(days: readonly TokenDay[]): void {
    for (const day of days) this.tokens.set(day.token, this.#figuresOf(day.token, day, day))
  }

  takePools(pools: readonly PoolRow[], days: readonly PoolDay[]): void {
    for (const [at, day] of days.entries()) {
      const pool = pools[at]
      if (pool === undefined) continue
      const isToken0 = this.#rankOf(pool.token0) <= this.#rankOf(pool.token1)
      const figures = this.#figuresOf(day.pool, day, isToken0 ? day.token0 : day.token1)
      this.pools.set(day.pool, { ...figures, base: isToken0 ? pool.token0 : pool.token1 })
    }
  }

  #figuresOf(
    address: Address | PoolAddress,
    { volumeUsd, trades, unpriced, firstSeen }: Omit<TokenDay, keyof PriceOfDay | 'token'>,
    { priceUsd, changePercent }: PriceOfDay,
  ): Filled<Figures> {
    return {
      network: this.#name,
      address,
      priceUsd,
      changeE4: changePercent === null ? null : BigInt(changePercent.replace('.', '')),
      volumeE8: usdE8Of(volumeUsd),
      swaps: trades,
      unpriced,
      firstSeen,
      liquidityE8: null,
    }
  }

  /** What others are priced in, the more of that the higher: stablecoins, the coin, other anchors. */
  #rankOf(token: Address): number {
    const { network } = this
    if (network === null) return 0
    if (network.stablecoins.includes(token)) return 3
    if (token === network.wrappedNative || token === ZERO_ADDRESS) return 2
    return network.anchors.includes(token) ? 1 : 0
  }
}
