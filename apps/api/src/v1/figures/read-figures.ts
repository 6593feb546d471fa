import {
  type Address,
  heldAmounts,
  heldE8,
  type Market,
  type NetworkName,
  type PoolAddress,
  type Token,
  usdE8Of,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import type { DayPages, IndexedNetwork, PoolDay, PoolRow, PriceOfDay, Reader, TokenDay } from '@dexfeed/store'
import { anchorPrices } from '../../quote/anchor-prices.ts'
import type { LiveMarket } from '../../quote/live-market.ts'
import type { Markets } from '../../quote/quote-desk.ts'
import { pacer } from './in-steps.ts'
import { type Figures, FigureTable, type NetworkFigures } from './table/figure-table.ts'

export interface FiguresSource {
  reader: { lastDay: Reader['lastDay'] }
  feed: Markets
}

const FINDING = 4

/**
 * Reads the figures of a network: trades as of one moment, pools valued in the current market. Returns null if the
 * network is not indexed.
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
  const day = new Day()
  if (!(await reader.lastDay(name, now, day))) return null
  const { anchors, ...figures } = day.begun
  const settled = () => feed.changing(name)
  await settled()
  const live = feed.market(name)
  seen(live)
  if (live) await addLiquidity(figures, live.market, anchors, settled)
  return figures
}

/**
 * Adds the values of a market's pools to the figures. Only `anchors` (tokens with a trusted price) count, at the
 * current prices of their reference pools (docs/internals/usd.md).
 *
 * @param settled resolves when the market is as of one block
 */
async function addLiquidity(
  { network, tokens, pools }: NetworkFigures,
  market: Market,
  anchors: readonly Token[],
  settled: () => Promise<void> | null,
): Promise<void> {
  const prices = await anchorPrices(market, network, anchors, settled)
  const pause = pacer()
  for (const poolInState of market.pools()) {
    const { pool, ticks } = poolInState
    const { token0, token1 } = pool
    const turned = pause(FINDING + (ticks === null ? 0 : ticks.size))
    if (turned) await turned.then(settled)
    if (!prices.has(token0) && !prices.has(token1)) continue
    const held = heldAmounts(poolInState)
    const worth = held && heldE8(pool, held, prices)
    if (worth === null) continue
    pools.addLiquidity(pool.address, worth)
    for (const token of token0 === token1 ? [token0] : [token0, token1]) tokens.addLiquidity(token, worth)
  }
}

class Day implements DayPages {
  #begun: (NetworkFigures & { anchors: readonly Token[] }) | null = null

  get begun(): NetworkFigures & { anchors: readonly Token[] } {
    if (this.#begun === null) throw new Error("the day's rows come after its network")
    return this.#begun
  }

  begin(network: IndexedNetwork, anchors: readonly Token[]): void {
    const name = network.network
    this.#begun = { network, anchors, tokens: new FigureTable(name), pools: new FigureTable(name) }
  }

  takeTokens(days: readonly TokenDay[]): void {
    const { tokens } = this.begun
    for (const day of days) tokens.push({ ...figuresOf(day.token, day, day, 0), isWeighted: day.isWeighted })
  }

  takePools(pools: readonly PoolRow[], days: readonly PoolDay[]): void {
    const { network, pools: table } = this.begun
    for (const [at, day] of days.entries()) {
      const pool = pools[at]
      if (pool === undefined) continue
      const side = rankOf(pool.token0, network) <= rankOf(pool.token1, network) ? 0 : 1
      table.push(figuresOf(day.pool, day, side === 0 ? day.token0 : day.token1, side))
    }
  }
}

function rankOf(token: Address, { stablecoins, wrappedNative, anchors }: IndexedNetwork): number {
  if (stablecoins.includes(token)) return 3
  if (token === wrappedNative || token === ZERO_ADDRESS) return 2
  return anchors.includes(token) ? 1 : 0
}

function figuresOf(
  address: Address | PoolAddress,
  { volumeUsd, trades, unpriced, firstSeen }: TokenDay | PoolDay,
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
