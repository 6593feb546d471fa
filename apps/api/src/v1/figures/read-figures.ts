import {
  type Address,
  heldAmounts,
  heldE8,
  type Market,
  type NetworkName,
  type PoolAddress,
  type Token,
  usdE8Of,
} from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { DayPages, IndexedNetwork, PoolDay, PriceOfDay, Reader, TokenDay } from '@dexfeed/store'
import { anchorPrices } from '../../quote/anchor-prices.ts'
import type { LiveMarket } from '../../quote/live-market.ts'
import type { Markets } from '../../quote/quote-desk.ts'
import { pacer } from './in-steps.ts'
import { type Figures, FigureTable, type NetworkFigures } from './table/figure-table.ts'
import { PATIENCE_MS, TraderCounts } from './trader-counts.ts'

export interface FiguresTiming {
  figuresRest?: number
  patienceMs?: number
}

export interface FiguresSource extends FiguresTiming {
  reader: Pick<Reader, 'lastDay' | 'tradersOfAges'>
  feed: Markets
  log: Logger
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
  source: FiguresSource,
  name: NetworkName,
  now: number,
  seen: (live: LiveMarket | null | undefined) => void,
): Promise<NetworkFigures | null> {
  const { feed } = source
  const day = new Day(source)
  if (!(await source.reader.lastDay(name, now, day))) return null
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
  readonly #source: FiguresSource
  #begun: (NetworkFigures & { anchors: readonly Token[] }) | null = null

  constructor(source: FiguresSource) {
    this.#source = source
  }

  get begun(): NetworkFigures & { anchors: readonly Token[] } {
    if (this.#begun === null) throw new Error("the day's rows come after its network")
    return this.#begun
  }

  begin(network: IndexedNetwork, anchors: readonly Token[], to: number): void {
    const name = network.network
    const { patienceMs = PATIENCE_MS } = this.#source
    const traders = new TraderCounts(this.#source, name, { to, head: network.head?.number ?? null, patienceMs })
    this.#begun = { network, anchors, traders, tokens: new FigureTable(name), pools: new FigureTable(name) }
  }

  takeTokens(days: readonly TokenDay[]): void {
    const { tokens } = this.begun
    for (const day of days) tokens.push({ ...figuresOf(day.token, day, day, 0), isWeighted: day.isWeighted })
  }

  takePools(days: readonly PoolDay[]): void {
    const { pools } = this.begun
    for (const day of days) {
      const figures = figuresOf(day.pool, day, day.price, day.side)
      pools.push({ ...figures, priceQuote: day.price.priceInOther, createdAt: day.createdAt })
    }
  }
}

function figuresOf(
  address: Address | PoolAddress,
  { volumeUsd, trades, unpriced, ages, firstSeen }: TokenDay | PoolDay,
  { priceUsd, changes }: PriceOfDay,
  side: Figures['side'],
): Figures {
  return {
    address,
    priceUsd,
    priceQuote: null,
    isWeighted: null,
    changesE4: changes.map((change) => (change === null ? null : BigInt(change.replace('.', '')))),
    volumeE8: usdE8Of(volumeUsd),
    swaps: trades,
    unpriced,
    ages: JSON.stringify(ages),
    firstSeen,
    createdAt: null,
    liquidityE8: null,
    side,
  }
}
