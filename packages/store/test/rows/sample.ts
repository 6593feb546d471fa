import type {
  Address,
  BlockHeader,
  Deployment,
  Dex,
  Hex,
  Hop,
  NetworkName,
  Pool,
  PoolCreation,
  PoolStateAt,
  PricedMove,
  PricedTrade,
  TickLiquidityAt,
  Token,
} from '@dexfeed/dex'
import { madeHop, madePool, madeRow } from '@dexfeed/dex/test/made-hop'
import {
  type Database,
  type HeadCommit,
  type HistoryCommit,
  type IndexerStore,
  type LiveCommit,
  openDatabase,
  openIndexerStore,
} from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import fc from 'fast-check'
import type { Client } from 'pg'
import { headCommit } from '../head-commit.ts'
import { emptyTables } from './empty-tables.ts'

/** 2026-11-20 00:00:00 UTC. */
export const MIDNIGHT = Date.UTC(2026, 10, 20) / 1000

export function address(n: number): Address {
  return `0x${n.toString(16).padStart(40, '0')}`
}

export function hash(n: number, branch = 0): Hex {
  return `0x${branch.toString(16).padStart(8, '0')}${n.toString(16).padStart(56, '0')}`
}

const DEX: Dex = { name: 'uniswap-v2', kind: 'uniswap-v2', factory: address(0xf0), feeBps: 30 }
export const POOL: Pool = madePool(address(0xa0), [address(1), address(2)], { dex: DEX })
export const TOKEN: Token = { address: address(1), symbol: 'ONE', name: 'Token one', decimals: 18 }

export function deployment(network: NetworkName): Deployment {
  return {
    network,
    wrappedNative: address(0xee),
    stablecoins: [],
    anchors: [],
    dexes: [DEX],
    tokens: [{ address: address(0xee), symbol: 'WPOL', name: 'Wrapped POL', decimals: 18, aliases: ['wmatic'] }],
    finalityDepth: 4,
  }
}

export function hop(pool: Pool, logIndex = 0, over: Partial<Hop> = {}): Hop {
  return madeHop(logIndex, [pool.token0, 10n], [pool.token1, 20n], { pool, ...over })
}

/** Returns the sides of a trade that consists of one hop, or of successive hops. */
export function sidesOf(first: Hop, last = first) {
  return {
    sell: { token: first.tokenIn, amount: first.amountIn, native: false },
    buy: { token: last.tokenOut, amount: last.amountOut, native: false },
  }
}

export function trade(blockNumber: number, timestamp: number, over: Partial<PricedTrade> = {}): PricedTrade {
  return madeRow([hop(POOL, over.position)], {
    blockNumber,
    timestamp,
    transactionIndex: 0,
    txHash: hash(blockNumber, 0x77),
    trader: address(0xb0),
    hopsUsdE8: [150_000_000n],
    usdE8: 150_000_000n,
    source: 'stablecoin',
    ...over,
  })
}

export function creation(blockNumber: number, timestamp: number, over: Partial<PoolCreation> = {}): PoolCreation {
  return {
    pool: POOL.address,
    blockNumber,
    timestamp,
    transactionIndex: 0,
    txHash: hash(blockNumber, 0x77),
    creator: address(0xb0),
    ...over,
  }
}

export function header(number: number, timestamp: number, branch = 0, parentBranch = branch): BlockHeader {
  return { number, hash: hash(number, branch), parentHash: hash(number - 1, parentBranch), timestamp }
}

/** Returns a chain of headers; a branch begins with the first one. */
export function headers(from: number, to = from, branch = 0, timeOf = (number: number) => MIDNIGHT + number) {
  return Array.from({ length: to - from + 1 }, (_, n) => header(from + n, timeOf(from + n), branch, n && branch))
}

export function pair(blockNumber: number, reserve0 = BigInt(blockNumber), reserve1 = 1n): PoolStateAt {
  return { pool: POOL.address, blockNumber, state: { kind: 'pair', reserve0, reserve1 } }
}

/** A concentrated pool whose state has the largest possible values. */
export const V3 = address(0xa3)

export function curve(blockNumber: number, liquidity = 2n ** 127n): PoolStateAt {
  const state = { kind: 'concentrated' as const, sqrtPriceX96: 2n ** 159n, tick: -887_272, liquidity }
  return { pool: V3, blockNumber, state }
}

export function tick(blockNumber: number, index: number, gross: bigint, net = gross): TickLiquidityAt {
  return { pool: V3, blockNumber, tick: index, gross, net }
}

export function within(trades: readonly PricedTrade[], from: number, to: number): PricedTrade[] {
  return trades.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
}

/** Splits blocks 1 to `blocks` into arbitrary parts, in any order. */
export function anyParts(blocks: number, maxCuts: number): fc.Arbitrary<{ from: number; to: number }[]> {
  return fc.uniqueArray(fc.integer({ min: 2, max: blocks }), { maxLength: maxCuts }).chain((cuts) => {
    const starts = [1, ...cuts.sort((a, b) => a - b)]
    const parts = starts.map((from, place) => ({ from, to: (starts[place + 1] ?? blocks + 1) - 1 }))
    return fc.shuffledSubarray(parts, { minLength: parts.length })
  })
}

/** Returns a liquidity event of all kinds beside each trade. */
export function movesOf(trades: readonly PricedTrade[]): PricedMove[] {
  return trades.map(({ blockNumber, timestamp, transactionIndex, position, txHash, trader, usdE8 }) => ({
    blockNumber,
    timestamp,
    transactionIndex,
    txHash,
    account: trader,
    usdE8,
    logIndex: transactionIndex * 1_000 + position,
    pool: POOL.address,
    coins: [POOL.token0, POOL.token1],
    isAdded: blockNumber % 2 === 0,
    amounts: position === 1 ? null : [BigInt(blockNumber), 2n ** 200n],
    range: blockNumber % 3 === 0 ? null : { tickLower: -blockNumber, tickUpper: position, liquidity: 2n ** 127n },
  }))
}

export function filling(from: number, to: number, trades: readonly PricedTrade[] = [], times = timesOf(from, to)) {
  const commit: HistoryCommit = { from, to, ...times, trades, moves: movesOf(trades), pools: [POOL], tokens: [] }
  return commit
}

/** Returns a follower's commit with these headers. */
export function following(
  epoch: number,
  blocks: readonly BlockHeader[],
  trades: readonly PricedTrade[] = [],
  live: Partial<LiveCommit> = {},
): HeadCommit {
  return headCommit(epoch, blocks, { trades, moves: movesOf(trades), pools: [POOL] }, live)
}

/** Opens a database, which is closed after the test, or after the file if a hook of the file opened it. */
export async function open(url: string, options: Partial<Parameters<typeof openDatabase>[1]> = {}): Promise<Database> {
  const database = await openDatabase(url, { applicationName: 'test', ...options })
  closeAfter(() => database.close())
  return database
}

/** Opens a database without rows, like `open`. */
export async function openTestDatabase(max: number): Promise<Database> {
  return open(await testDatabase(), { max })
}

/** Opens another session, which is closed after the test. */
export async function session(database: Database, name = 'test session'): Promise<Client> {
  const client = await database.connect(name)
  closeAfter(() => client.end())
  return client
}

/** Registers a store's network and acquires its lease, which ends with the test. */
export async function startWriter(store: IndexerStore, network: NetworkName) {
  await store.register({
    genesisHash: hash(0, 0x99),
    deployment: deployment(network),
    start: { number: 1, timestamp: MIDNIGHT },
  })
  const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
  await store.configure(lease.epoch, deployment(network))
  return { ...lease, release: closeAfter(() => lease.release()) }
}

/** Returns a network's store in a database without rows, and its writer's lease. */
export async function emptyStore(database: Database, network: NetworkName) {
  await emptyTables(database.pool)
  const store = openIndexerStore(database, network)
  return { store, lease: await startWriter(store, network) }
}

function timesOf(from: number, to: number) {
  return { fromTime: MIDNIGHT + from, toTime: MIDNIGHT + to }
}
