import { type Address, type BlockRange, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { textRows, withSnapshot } from '../database/reading-session.ts'
import { readRows } from '../stored.ts'
import { storedPriceText } from '../tables/rollups/price-text.ts'
import { lastPrices, type MinuteCandleRow, minuteCandles, type TokenMinute } from '../tables/rollups/token-candle.ts'
import { readCellVersions } from '../tables/swap/list-cell.ts'
import { timesOfBlocks } from '../tables/swap/swap-list.ts'
import { swapsOfBlocks, toFoundSwap } from '../tables/swap/swap-search.ts'
import { readTokens } from '../tables/token.ts'
import { type Candle, toCandle } from './candles.ts'
import { type SwapWithHops, withHops } from './find-swaps.ts'
import { type ListedNetwork, type ListStamps, readListStamps } from './list-source.ts'

// The source of a stream of changes: the networks' positions, and rows of blocks near their heads.

interface MinuteCandle extends Candle {
  token: Address
}

/** Rows in one snapshot. */
export interface EdgeSnapshot extends ListStamps {
  /** Returns the versions of all cells that have one. */
  cellVersions(network: ListedNetwork): Promise<Map<number, string>>
  /** Returns the first `limit` trades of the blocks, in order. */
  swaps(network: ListedNetwork, blocks: BlockRange, limit: number): Promise<SwapWithHops[]>
  /** Returns the times of the first and the last trade of blocks; null without trades. */
  times(network: NetworkName, blocks: BlockRange): Promise<{ from: number; to: number } | null>
  tokens(network: NetworkName, addresses: readonly Address[]): Promise<Token[]>
  /** Returns the candles of those minutes that have hops, with prices by the decimals of their tokens. */
  candles(network: NetworkName, minutes: readonly TokenMinute[], tokens: readonly Token[]): Promise<MinuteCandle[]>
  /** Returns USD for one of each token: the last price of its candles, null without a price. */
  prices(network: NetworkName, tokens: readonly Token[]): Promise<Map<Address, string | null>>
}

/**
 * Runs `work` on the rows near the heads, in one snapshot.
 *
 * @param unknown tokens that the rows could not name
 * @throws StoreError, retryable if the database is unreachable or too slow; the signal's reason if it aborts
 */
export async function readEdge<T>(
  database: Pick<Database, 'pool' | 'prisma'>,
  unknown: ReadonlyMap<NetworkName, Iterable<Address>>,
  signal: AbortSignal,
  work: (snapshot: EdgeSnapshot) => Promise<T>,
): Promise<T> {
  return withSnapshot(database, signal, async (tx, client) =>
    work({
      ...(await readListStamps(tx, unknown)),
      cellVersions: ({ chainId }) => readCellVersions(tx, chainId, 0),
      async swaps(network, blocks, limit) {
        const rows = await textRows(client, swapsOfBlocks(network.network, blocks, limit))
        const found = rows.map((row) => toFoundSwap(network.network, row))
        return withHops(tx, [network], found)
      },
      times: (network, blocks) => timesOfBlocks(tx, network, blocks),
      tokens: async (network, addresses) =>
        addresses.length === 0 ? [] : readTokens(tx, NETWORKS[network].chainId, addresses),
      async candles(network, minutes, tokens) {
        if (minutes.length === 0) return []
        const decimals = decimalsOf(tokens)
        const rows = await readRows<MinuteCandleRow>(tx, minuteCandles(NETWORKS[network].chainId, minutes))
        return rows.map((row) => ({ token: row.token, ...toCandle(row, decimals.get(row.token) ?? null) }))
      },
      async prices(network, tokens) {
        if (tokens.length === 0) return new Map()
        const decimals = decimalsOf(tokens)
        const query = lastPrices(NETWORKS[network].chainId, [...decimals.keys()])
        const rows = await readRows<{ token: Address; price: string | null }>(tx, query)
        return new Map(rows.map(({ token, price }) => [token, storedPriceText(price, decimals.get(token))]))
      },
    }),
  )
}

function decimalsOf(tokens: readonly Token[]): Map<Address, number | null> {
  return new Map(tokens.map(({ address, decimals }) => [address, decimals]))
}
