import { setImmediate as turn } from 'node:timers/promises'
import {
  type Address,
  type BlockRange,
  NETWORKS,
  type NetworkName,
  PassableTokens,
  type PoolAddress,
  type PoolStateAt,
  type TickLiquidityAt,
  type TokenMoveAt,
  withoutRanges,
} from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { type Db, inSnapshot } from '../database/transaction.ts'
import { hexOf, readRows, readTogether } from '../stored.ts'
import { type InvalidatedRow, invalidatedPools, toInvalidated } from '../tables/invalidated-pool.ts'
import { lowestAncestor, type RollbackRow, rollbacksAfter } from '../tables/network-rollback.ts'
import {
  changedPoolStates,
  type PoolStateRow,
  poolStatesOf,
  readPoolsLastTouched,
  readStatedPools,
  type StatedPool,
  toPoolState,
} from '../tables/pool-state.ts'
import { changedTicks, readTickPage, type TickRow, tickVersionsOf, toTick } from '../tables/pool-tick.ts'
import { listedTokens } from '../tables/token.ts'
import { readTokenMoves } from '../tables/token-move.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, toIndexedNetworks } from './networks.ts'

/** Processing a page takes a few milliseconds. */
const PAGE_ROWS = 1_000
/** Processing this many ticks takes as long as one row of another table. */
const TICKS_A_ROW = 4
/** Splits a page, so that the process can do other work in between. */
const PARTS = 4
const WHOLE_POOLS = 100
const IDLE_STEPS = 30

export interface MarketFrame {
  network: IndexedNetwork
  trusted: Address[]
  invalidated: PoolAddress[]
  idleBelow: number
}

export interface MarketPages {
  begin(frame: MarketFrame): void
  pools(pools: readonly StatedPool[]): void
  /** Takes ticks ordered by pool and tick, including ticks no longer initialised (gross 0). */
  ticks(ticks: readonly TickLiquidityAt[]): void
}

interface Versions {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

interface WholePools extends Versions {
  pools: readonly PoolAddress[]
}

const NO_POOLS: WholePools = { pools: [], states: [], ticks: [] }

export interface MarketChanges extends MarketFrame, Versions {
  rollback: ({ ancestor: number } & WholePools) | null
  entering: WholePools
  leaving: PoolAddress[]
}

export interface MarketVersion {
  revision: number
  reorgs: number
  idleBelow: number
  holds(pool: PoolAddress): boolean
  /** Returns the pools held as of blocks after `block`, which is not below the final block. */
  poolsAbove(block: number): readonly PoolAddress[]
}

type FrameRows = NetworkRows & { listed: { address: string }; invalidated: InvalidatedRow }
type VersionRows = { states: PoolStateRow; ticks: TickRow }
type Found<Rows> = { [Name in keyof Rows]: Rows[Name][] }

interface MarketReading {
  pageRows?: number
  /** Pools not touched for this many seconds are idle; with 0, no pool is. */
  idlePoolS?: number
}

/** Returns false if the network is not active. */
export async function readMarket(
  database: Database,
  name: NetworkName,
  take: MarketPages,
  { pageRows = PAGE_ROWS, idlePoolS = 0 }: MarketReading = {},
): Promise<boolean> {
  const { chainId } = NETWORKS[name]
  const read = async (tx: Db) => {
    const frame = toFrame(name, await readTogether<FrameRows>(tx, frameQueries(chainId)), idlePoolS)
    if (frame === null) return false
    take.begin(frame)
    const { idleBelow: from } = frame
    const pools = (after: StatedPool | null) =>
      readStatedPools(tx, chainId, { after: after?.pool.address ?? null, from }, pageRows)
    await eachPage(pools, pageRows, (page) => take.pools(page))
    const tickRows = TICKS_A_ROW * pageRows
    const ticks = (after: TickLiquidityAt | null) => readTickPage(tx, chainId, after, tickRows)
    await eachPage(ticks, tickRows, (page) => take.ticks(page))
    return true
  }
  return inSnapshot(database, read)
}

/** Returns the changes since `known`; null if the caller must read the whole market again. */
export async function readMarketChanges(
  database: Database,
  name: NetworkName,
  known: MarketVersion,
  { pageRows = PAGE_ROWS, idlePoolS = 0 }: MarketReading = {},
): Promise<MarketChanges | null> {
  const { chainId } = NETWORKS[name]
  const found = await readTogether<FrameRows & VersionRows>(database.prisma, {
    ...frameQueries(chainId),
    states: changedPoolStates(chainId, known.revision, null, pageRows),
    ticks: changedTicks(chainId, known.revision, null, pageRows),
  })
  const frame = toFrame(name, found, idlePoolS)
  if (frame === null || frame.network.revision < known.revision) return null
  const isAll = found.states.length < pageRows && found.ticks.length < pageRows
  if (frame.network.reorgs === known.reorgs && frame.idleBelow === known.idleBelow && isAll) {
    const versions = toVersions(found)
    const isHeld = unheldPools(versions, known).length === 0
    if (isHeld) return { ...frame, ...versions, rollback: null, entering: NO_POOLS, leaving: [] }
  }
  const reading = { pageRows, idlePoolS }
  return inSnapshot(database, (tx) => readManyChanges(tx, name, known, reading))
}

function unheldPools({ states, ticks }: Versions, { holds }: MarketVersion): PoolAddress[] {
  return [...new Set([...states, ...ticks].map(({ pool }) => pool))].filter((pool) => !holds(pool))
}

async function readManyChanges(
  tx: Db,
  name: NetworkName,
  known: MarketVersion,
  { pageRows, idlePoolS }: Required<MarketReading>,
): Promise<MarketChanges | null> {
  const { chainId } = NETWORKS[name]
  const found = await readTogether<FrameRows & { rollbacks: RollbackRow }>(tx, {
    ...frameQueries(chainId),
    rollbacks: rollbacksAfter(chainId, known.reorgs),
  })
  const frame = toFrame(name, found, idlePoolS)
  if (frame === null || frame.idleBelow < known.idleBelow) return null
  const { reorgs } = frame.network
  const ancestor = lowestAncestor(found.rollbacks, known.reorgs, reorgs)
  if (ancestor === null) return null
  const states: PoolStateAt[] = []
  const ticks: TickLiquidityAt[] = []
  const statePage = async (after: PoolStateAt | null) => {
    const found = await readRows<VersionRows['states']>(tx, changedPoolStates(chainId, known.revision, after, pageRows))
    return found.map(toPoolState)
  }
  await eachPage(statePage, pageRows, (page) => void states.push(...page))
  const tickPage = async (after: TickLiquidityAt | null) => {
    const found = await readRows<VersionRows['ticks']>(tx, changedTicks(chainId, known.revision, after, pageRows))
    return found.map(toTick)
  }
  await eachPage(tickPage, pageRows, (page) => void ticks.push(...page))
  const entering = await readWhole(tx, chainId, unheldPools({ states, ticks }, known))
  const idle = { from: known.idleBelow, below: frame.idleBelow }
  const leaving = idle.from === idle.below ? [] : await readPoolsLastTouched(tx, chainId, idle)
  const changes = { ...frame, states, ticks, entering, leaving }
  if (reorgs === known.reorgs) return { ...changes, rollback: null }
  const pools = known.poolsAbove(ancestor)
  return { ...changes, rollback: { ancestor, ...(await readWhole(tx, chainId, pools)) } }
}

async function readWhole(tx: Db, chainId: number, pools: readonly PoolAddress[]): Promise<WholePools> {
  const whole: WholePools = { pools, states: [], ticks: [] }
  for (let start = 0; start < pools.length; start += WHOLE_POOLS) {
    const batch = pools.slice(start, start + WHOLE_POOLS)
    const queries = { states: poolStatesOf(chainId, batch), ticks: tickVersionsOf(chainId, batch) }
    const { states, ticks } = toVersions(await readTogether<VersionRows>(tx, queries))
    whole.states.push(...states)
    for (const tick of ticks) whole.ticks.push(tick)
  }
  return whole
}

/** Passes the token moves of the week before the head to `take`, except those in the blocks of `known`. */
export async function readNewMoves(
  db: Db,
  { chainId, covered, head }: IndexedNetwork,
  { known, pageRows = PAGE_ROWS }: { known: readonly BlockRange[]; pageRows?: number },
  take: (page: readonly TokenMoveAt[]) => void,
): Promise<void> {
  if (head === null) return
  const since = PassableTokens.since(head.timestamp)
  const recent = covered.filter(({ toTime }) => toTime > since)
  const ranges = withoutRanges(recent, known)
  await readTokenMoves(db, chainId, { ranges, since, pageRows }, take)
}

function frameQueries(chainId: number) {
  return { ...NETWORK_QUERIES, listed: listedTokens(chainId), invalidated: invalidatedPools(chainId) }
}

function toFrame(name: NetworkName, found: Found<FrameRows>, idlePoolS: number): MarketFrame | null {
  const network = toIndexedNetworks(found).find((indexed) => indexed.network === name)
  if (network === undefined) return null
  const listed = found.listed.map(({ address }) => hexOf(address))
  const invalidated = found.invalidated.map((row) => toInvalidated(row).pool)
  const trusted = [network.wrappedNative, ...network.stablecoins, ...network.anchors, ...listed]
  return { network, trusted, invalidated, idleBelow: idleBelow(network, idlePoolS) }
}

function idleBelow({ network, finalNumber }: IndexedNetwork, idlePoolS: number): number {
  if (idlePoolS === 0 || finalNumber === null) return 0
  const blocks = Math.ceil(idlePoolS / NETWORKS[network].minBlockTimeS)
  const step = Math.max(1, Math.floor(blocks / IDLE_STEPS))
  return Math.max(0, Math.floor(finalNumber / step) * step - blocks)
}

function toVersions({ states, ticks }: Found<VersionRows>): Versions {
  return { states: states.map(toPoolState), ticks: ticks.map(toTick) }
}

/**
 * Reads each page while the previous one is processed. Never starts two queries in the same turn of the event loop: if
 * the first fails in a Prisma transaction, the second returns undefined instead of an error (Prisma 7.10,
 * requestBatch).
 */
async function eachPage<Row>(
  read: (after: Row | null) => Promise<Row[]>,
  pageRows: number,
  take: (rows: readonly Row[]) => void,
): Promise<void> {
  const partRows = Math.ceil(pageRows / PARTS)
  let next = read(null)
  for (let isLast = false; !isLast; ) {
    const rows = await next
    isLast = rows.length < pageRows
    if (!isLast) next = read(rows.at(-1) ?? null)
    // If processing this page fails, nothing awaits the next one.
    next.catch(() => undefined)
    for (let start = 0; start < rows.length; start += partRows) {
      take(rows.slice(start, start + partRows))
      await turn()
    }
  }
}
