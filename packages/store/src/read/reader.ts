import {
  type Address,
  type BlockRange,
  NETWORKS,
  type NetworkName,
  PassableTokens,
  type Pool,
  type PoolStateAt,
  type TickLiquidityAt,
  type Token,
  type TokenMoveAt,
  withoutRanges,
} from '@dexfeed/dex'
import type { PoolClient } from 'pg'
import type { Database } from '../database.ts'
import { readTokenMoves } from '../tables/token-move.ts'
import { type DayVolume, readDayVolumes } from './day-volumes.ts'
import { type IndexedNetwork, readNetworks } from './indexed-network.ts'
import { type Listener, listen } from './listen.ts'
import { readAllMarketRows, readChangedMarketRows, readPools } from './market-state.ts'
import { withClient, withSnapshot } from './read-session.ts'
import {
  openSwapWindow,
  readSwapList,
  type SwapPage,
  type SwapSelection,
  type SwapWindow,
  type SwapWindowOptions,
} from './swap-window.ts'
import { readListedTokens, readSymbol, readTokens } from './tokens.ts'
import { readWashDays, readWashPools, type WashDayFlags, type WashPool } from './wash-flags.ts'

/** What tells through which tokens routes may lead. */
export interface TokenEvidence {
  /** The tokens that need no proof: the wrapped coin, anchors, the curated list. */
  trusted: Address[]
  /** The moves between pools in the week before the head, of blocks that were not known to be covered. */
  moves: TokenMoveAt[]
}

/** What a market holds now. */
export interface MarketSnapshot extends TokenEvidence {
  network: IndexedNetwork
  pools: Pool[]
  states: PoolStateAt[]
  /** Initialised ones only. */
  ticks: TickLiquidityAt[]
}

/** What changed in a market since a revision; ticks with gross 0 are no longer initialised. */
export interface MarketChanges extends TokenEvidence {
  network: IndexedNetwork
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/** A market as of which version. */
export interface MarketVersion {
  revision: number
  reorgs: number
  /** Blocks whose token moves are known. */
  covered: readonly BlockRange[]
}

/**
 * What the API reads. Every method throws a StoreError: a retryable one when the database is out of reach, out of
 * connections or too slow.
 */
export interface Reader {
  /** The networks that are being indexed, in the order eth, bsc, polygon. */
  networks(): Promise<IndexedNetwork[]>
  tokens(network: NetworkName, addresses: readonly Address[]): Promise<Token[]>
  /** The tokens that an upper-case symbol of the curated list stands for; several: it is ambiguous. */
  symbol(network: NetworkName, symbol: string): Promise<Address[]>
  /** The `count` UTC days that end with `last` (YYYY-MM-DD), newest first, and the networks as of the same moment. */
  dayVolumes(
    last: string,
    count: number,
  ): Promise<{
    days: DayVolume[]
    /** Those of them that were judged for wash trading. */
    washDays: WashDayFlags[]
    networks: IndexedNetwork[]
  }>
  /** The judged days among these, newest first, and at most `limit` of their flagged pools, largest first. */
  washFlags(last: string, count: number, limit: number): Promise<{ days: WashDayFlags[]; pools: WashPool[] }>
  /** Everything that a market of the network holds; null when the network is not being indexed. */
  market(network: NetworkName): Promise<MarketSnapshot | null>
  /** What changed since `known`; null when that cannot be told, so that the market must be read anew. */
  marketChanges(network: NetworkName, known: MarketVersion): Promise<MarketChanges | null>
  pools(network: NetworkName, addresses: readonly Address[]): Promise<Pool[]>
  /** All selected swaps, as a list that belongs to one moment. */
  swapWindow(selection: SwapSelection): Promise<SwapWindow>
  /** The first `limit` selected swaps. */
  swapPage(selection: SwapSelection, limit: number): Promise<SwapPage>
  /** Calls back on every commit of the indexer until the returned function has been called. */
  listen(listener: Listener): () => Promise<void>
}

/** How much is read at once. The defaults are meant for use, others for tests. */
export interface ReaderOptions extends SwapWindowOptions {
  marketPageRows?: number
}

/** The reading side of the store. */
export function openReader(database: Pick<Database, 'pool' | 'connect'>, options: ReaderOptions = {}): Reader {
  const { pool } = database
  return {
    networks: () => withClient(pool, undefined, readNetworks),
    tokens: (network, addresses) => withClient(pool, undefined, (client) => readTokens(client, network, addresses)),
    symbol: (network, symbol) => withClient(pool, undefined, (client) => readSymbol(client, network, symbol)),
    dayVolumes: (last, count) =>
      withSnapshot(pool, undefined, async (client) => ({
        days: await readDayVolumes(client, last, count),
        washDays: await readWashDays(client, last, count),
        networks: await readNetworks(client),
      })),
    washFlags: (last, count, limit) =>
      withSnapshot(pool, undefined, async (client) => ({
        days: await readWashDays(client, last, count),
        pools: await readWashPools(client, last, count, limit),
      })),
    market: (name) =>
      withSnapshot(pool, undefined, async (client) => {
        const network = (await readNetworks(client)).find((indexed) => indexed.network === name)
        if (network === undefined) return null
        const { states, ticks } = await readAllMarketRows(client, name, options.marketPageRows)
        const pools = await readPools(
          client,
          name,
          states.map((state) => state.pool),
        )
        return { network, pools, states, ticks, ...(await readEvidence(client, network, [], options.marketPageRows)) }
      }),
    marketChanges: (name, known) =>
      withSnapshot(pool, undefined, async (client) => {
        const network = (await readNetworks(client)).find((indexed) => indexed.network === name)
        if (network === undefined || network.reorgs !== known.reorgs || network.revision < known.revision) return null
        const evidence = await readEvidence(client, network, known.covered, options.marketPageRows)
        if (network.revision === known.revision) return { network, states: [], ticks: [], ...evidence }
        return { network, ...(await readChangedMarketRows(client, name, known.revision)), ...evidence }
      }),
    pools: (network, addresses) => withClient(pool, undefined, (client) => readPools(client, network, addresses)),
    swapWindow: (selection) => openSwapWindow(pool, selection, options),
    swapPage: (selection, limit) => readSwapList(pool, selection, limit),
    listen: (listener) => listen(() => database.connect('dexfeed-api-listen'), listener),
  }
}

async function readEvidence(
  client: PoolClient,
  { network, wrappedNative, anchors, covered, head }: IndexedNetwork,
  known: readonly BlockRange[],
  pageRows: number | undefined,
): Promise<TokenEvidence> {
  const { chainId } = NETWORKS[network]
  const since = head && PassableTokens.since(head.timestamp)
  const ranges =
    since === null
      ? []
      : withoutRanges(
          covered.filter(({ toTime }) => toTime > since),
          known,
        )
  return {
    trusted: [wrappedNative, ...anchors, ...(await readListedTokens(client, network))],
    moves: await readTokenMoves(client, chainId, ranges, since ?? 0, pageRows),
  }
}
