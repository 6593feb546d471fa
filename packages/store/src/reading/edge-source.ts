import { type Address, type BlockRange, MINUTE_S, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { withSnapshot } from '../database/reading-session.ts'
import { readRows } from '../stored.ts'
import { readAlertsAfter, readLastAlert, type SentAlert } from '../tables/alert.ts'
import { type FoundLiquidity, liquidityOfBlocks } from '../tables/liquidity-event.ts'
import { type CreatedPool, readCreatedPools } from '../tables/pool-creation.ts'
import { type MinuteRow, minuteVolumes, type TokenMinute } from '../tables/rollups/token-volume.ts'
import { readCellVersions } from '../tables/swap/list-cell.ts'
import { blockOfNewest, timesOfBlocks } from '../tables/swap/swap-list.ts'
import { readPage, type SwapWithHops } from '../tables/swap/swap-page.ts'
import { swapsOfBlocks } from '../tables/swap/swap-search.ts'
import { readTokens } from '../tables/token.ts'
import { type Candle, type PastPrice, readLastPrices, toCandle } from './candles.ts'
import { type ListedNetwork, type ListStamps, readListStamps } from './list-source.ts'
import { readMinutePrices, readPricedNetwork } from './token-prices.ts'

interface MinuteCandle extends Candle {
  token: Address
}

export interface EdgeSnapshot extends ListStamps {
  cellVersions(network: ListedNetwork): Promise<Map<number, string>>
  swaps(network: ListedNetwork, blocks: BlockRange, limit: number): Promise<SwapWithHops[]>
  pools(network: ListedNetwork, blocks: BlockRange, limit: number): Promise<CreatedPool[]>
  liquidity(network: ListedNetwork, blocks: BlockRange, limit: number): Promise<FoundLiquidity[]>
  /** Returns the block of the oldest of the `count` newest trades of the head's last 24 hours; null without trades. */
  blockOfNewest(network: ListedNetwork, count: number): Promise<number | null>
  /** Returns the times (seconds) of the first and last trade or liquidity event; null without any. */
  times(network: NetworkName, blocks: BlockRange): Promise<{ from: number; to: number } | null>
  tokens(network: NetworkName, addresses: readonly Address[]): Promise<Token[]>
  candles(network: ListedNetwork, minutes: readonly TokenMinute[], tokens: readonly Token[]): Promise<MinuteCandle[]>
  /** Returns the number of the last row on alerts. */
  lastAlert(network: ListedNetwork): Promise<number>
  alertsAfter(network: ListedNetwork, number: number, limit: number): Promise<SentAlert[]>
  prices(network: ListedNetwork, tokens: readonly Token[]): Promise<Map<Address, PastPrice>>
}

/**
 * Runs `work` in one snapshot; throws like `withSnapshot`.
 *
 * @param unknown tokens that earlier reads did not find
 */
export async function readEdge<T>(
  database: Database,
  unknown: ReadonlyMap<NetworkName, Iterable<Address>>,
  signal: AbortSignal,
  work: (snapshot: EdgeSnapshot) => Promise<T>,
): Promise<T> {
  return withSnapshot(database, signal, async (tx) =>
    work({
      ...(await readListStamps(tx, unknown)),
      cellVersions: ({ chainId }) => readCellVersions(tx, chainId),
      swaps: ({ chainId }, blocks, limit) => readPage(tx, swapsOfBlocks(chainId, blocks, limit)),
      pools: ({ chainId }, blocks, limit) => readCreatedPools(tx, chainId, blocks, limit),
      blockOfNewest: (network, count) => blockOfNewest(tx, network, count),
      liquidity: ({ network }, blocks, limit) => liquidityOfBlocks(tx, network, blocks, limit),
      times: (network, blocks) => timesOfBlocks(tx, network, blocks),
      tokens: async (network, addresses) =>
        addresses.length === 0 ? [] : readTokens(tx, NETWORKS[network].chainId, addresses),
      lastAlert: ({ chainId }) => readLastAlert(tx, chainId),
      alertsAfter: ({ chainId }, number, limit) => readAlertsAfter(tx, chainId, number, limit),
      async candles({ chainId, covered }, minutes, tokens) {
        if (minutes.length === 0) return []
        const decimals = new Map(tokens.map(({ address, decimals }) => [address, decimals]))
        const rows = await readRows<MinuteRow>(tx, minuteVolumes(chainId, minutes))
        const valued = rows.filter(({ trades, unpriced }) => trades > unpriced)
        const priced = await readPricedNetwork(tx, chainId, covered)
        const requested = valued.map(({ token, time }) => ({ token, minute: time }))
        const pricesOf = await readMinutePrices(tx, priced, requested)
        return rows.map((row) => {
          const prices = pricesOf({ token: row.token, minute: row.time })
          return { token: row.token, ...toCandle(row, prices, decimals.get(row.token) ?? null) }
        })
      },
      async prices({ chainId, covered, head }, tokens) {
        if (tokens.length === 0 || head === null) return new Map()
        const to = Math.floor(head.timestamp / MINUTE_S + 2) * MINUTE_S
        return readLastPrices(tx, await readPricedNetwork(tx, chainId, covered), tokens, to)
      },
    }),
  )
}
