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
import { type Db, inTransaction } from '../database/transaction.ts'
import { hexOf, readRows, readTogether } from '../stored.ts'
import { lowestAncestor, type RollbackRow, rollbacksAfter } from '../tables/network-rollback.ts'
import {
  changedPoolStates,
  invalidatedPools,
  poolStatesOf,
  readPoolsLastTouched,
  readStatedPools,
  type StatedPool,
  toInvalidated,
  toPoolState,
} from '../tables/pool-state.ts'
import { changedTicks, readTickPage, tickVersionsOf, toTick } from '../tables/pool-tick.ts'
import { listedTokens } from '../tables/token.ts'
import { readTokenMoves } from '../tables/token-move.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, toIndexedNetworks } from './networks.ts'

/** Rows that are read at once: a few milliseconds of the process's time. */
const PAGE_ROWS = 1_000
/** Ticks take so much less of it. */
const TICKS_A_ROW = 4
/** A page is taken in by so many parts: whoever else waits for the process has its turn between two. */
const PARTS = 4
/** Pools that are read whole at once, with all of their ticks. */
const WHOLE_POOLS = 100
/** So often is looked for idle pools in the time that makes them so. */
const IDLE_STEPS = 30

/** What a market is, beside its pools. */
export interface MarketFrame {
  network: IndexedNetwork
  /** The tokens that routes may lead through without a proof: the wrapped coin, anchors, the curated list. */
  trusted: Address[]
  /** All pools whose stored state is known to be wrong. */
  invalidated: PoolAddress[]
  /** Pools that were last touched below this block are idle, and no part of the market. Only ever grows. */
  idleBelow: number
}

/** Takes in what a market holds, page by page. */
export interface MarketPages {
  /** Comes first. */
  begin(frame: MarketFrame): void
  /** Pools that have a state, with the newest, in the order of their addresses. */
  pools(pools: readonly StatedPool[]): void
  /** Versions of ticks in the order of pools and ticks, ended ticks (gross 0) among them. */
  ticks(ticks: readonly TickLiquidityAt[]): void
}

/** Newest versions; ticks with gross 0 are no longer initialised. */
interface Versions {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/** All that there is of some pools. */
interface WholePools extends Versions {
  pools: readonly PoolAddress[]
}

const NO_POOLS: WholePools = { pools: [], states: [], ticks: [] }

/** What changed in a market since a version of it. */
export interface MarketChanges extends MarketFrame, Versions {
  /** Where blocks were rolled back meanwhile: down to which one, and all that there is of the pools that this concerns. */
  rollback: ({ ancestor: number } & WholePools) | null
  /** All that there is of the changed pools that were not held. */
  entering: WholePools
  /** Pools that have become idle meanwhile. */
  leaving: PoolAddress[]
}

/** A market as of which version. */
export interface MarketVersion extends Pick<IndexedNetwork, 'revision' | 'reorgs'>, Pick<MarketFrame, 'idleBelow'> {
  /** Whether a pool is part of it, with all of its ticks. */
  holds(pool: PoolAddress): boolean
  /** The pools whose states or ticks are known as of a later block than one, which is the final one or above it. */
  poolsAbove(block: number): readonly PoolAddress[]
}

type FrameRows = NetworkRows & { listed: { address: string }; invalidated: Parameters<typeof toInvalidated>[0] }
type VersionRows = { states: Parameters<typeof toPoolState>[0]; ticks: Parameters<typeof toTick>[0] }
type Found<Rows> = { [Name in keyof Rows]: Rows[Name][] }

/** How a market is read. */
interface MarketReading {
  /** Rows of a page. */
  pageRows?: number
  /** Pools that nobody touched for so many seconds at least are idle; 0: none. */
  idlePoolS?: number
}

/** Gives everything that a market of the network holds, as of one moment; false when the network is not being indexed. */
export async function readMarket(
  database: Pick<Database, 'pool' | 'prisma'>,
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
  return inTransaction(database, read, 'RepeatableRead')
}

/** What changed since `known`; null when that cannot be said, so that the market must be read anew. */
export async function readMarketChanges(
  database: Pick<Database, 'pool' | 'prisma'>,
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
    const isHeld = strangersAmong(versions, known).length === 0
    if (isHeld) return { ...frame, ...versions, rollback: null, entering: NO_POOLS, leaving: [] }
  }
  const reading = { pageRows, idlePoolS }
  return inTransaction(database, (tx) => readManyChanges(tx, name, known, reading), 'RepeatableRead')
}

/** The changed pools that are not held: their other ticks are not among the changes. */
function strangersAmong({ states, ticks }: Versions, { holds }: MarketVersion): PoolAddress[] {
  return [...new Set([...states, ...ticks].map(({ pool }) => pool))].filter((pool) => !holds(pool))
}

/** The same as of the transaction's moment, page by page, with what was rolled back, what enters and what leaves. */
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
  const [states, ticks]: [PoolStateAt[], TickLiquidityAt[]] = [[], []]
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
  const entering = await readWhole(tx, chainId, strangersAmong({ states, ticks }, known))
  const idle = { from: known.idleBelow, below: frame.idleBelow }
  const leaving = idle.from === idle.below ? [] : await readPoolsLastTouched(tx, chainId, idle)
  const changes = { ...frame, states, ticks, entering, leaving }
  if (reorgs === known.reorgs) return { ...changes, rollback: null }
  const pools = known.poolsAbove(ancestor)
  return { ...changes, rollback: { ancestor, ...(await readWhole(tx, chainId, pools)) } }
}

async function readWhole(tx: Db, chainId: number, pools: readonly PoolAddress[]): Promise<WholePools> {
  const whole: WholePools = { pools, states: [], ticks: [] }
  for (let at = 0; at < pools.length; at += WHOLE_POOLS) {
    const some = pools.slice(at, at + WHOLE_POOLS)
    const queries = { states: poolStatesOf(chainId, some), ticks: tickVersionsOf(chainId, some) }
    const { states, ticks } = toVersions(await readTogether<VersionRows>(tx, queries))
    whole.states.push(...states)
    for (const tick of ticks) whole.ticks.push(tick)
  }
  return whole
}

/** Gives the moves between pools in the week before the network's head, of blocks that are not among the known ones. */
export async function readNewMoves(
  db: Db,
  { chainId, covered, head }: Pick<IndexedNetwork, 'chainId' | 'covered' | 'head'>,
  known: readonly BlockRange[],
  take: (page: readonly TokenMoveAt[]) => void,
  pageRows = PAGE_ROWS,
): Promise<void> {
  if (head === null) return
  const since = PassableTokens.since(head.timestamp)
  const ranges = withoutRanges(
    covered.filter(({ toTime }) => toTime > since),
    known,
  )
  await readTokenMoves(db, chainId, { ranges, since, pageRows }, take)
}

function frameQueries(chainId: number) {
  return { ...NETWORK_QUERIES, listed: listedTokens(chainId), invalidated: invalidatedPools(chainId) }
}

function toFrame(name: NetworkName, found: Found<FrameRows>, idlePoolS: number): MarketFrame | null {
  const network = toIndexedNetworks(found).find((one) => one.network === name)
  if (network === undefined) return null
  const listed = found.listed.map(({ address }) => hexOf(address))
  const invalidated = found.invalidated.map((row) => toInvalidated(row).pool)
  const trusted = [network.wrappedNative, ...network.anchors, ...listed]
  return { network, trusted, invalidated, idleBelow: idleBelow(network, idlePoolS) }
}

/**
 * The block that ends the time in which an idle pool was not touched. It follows from the final block alone, so that all
 * processes agree and no rollback moves it, and moves a thirtieth of that time at once. Blocks count with the shortest
 * time that the network has between two: where they take longer, pools stay longer.
 */
function idleBelow({ network, finalNumber }: IndexedNetwork, idlePoolS: number): number {
  if (idlePoolS === 0 || finalNumber === null) return 0
  const blocks = Math.ceil(idlePoolS / NETWORKS[network].leastBlockTimeS)
  const step = Math.max(1, Math.floor(blocks / IDLE_STEPS))
  return Math.max(0, Math.floor(finalNumber / step) * step - blocks)
}

function toVersions({ states, ticks }: Found<VersionRows>): Versions {
  return { states: states.map(toPoolState), ticks: ticks.map(toTick) }
}

/**
 * Reads a page while the one before is taken in, without a second question at once: where a transaction of Prisma's is
 * asked two in one turn and the first fails, the second gives undefined instead of an error (7.10, requestBatch).
 */
async function eachPage<Row>(
  read: (after: Row | null) => Promise<Row[]>,
  pageRows: number,
  take: (rows: readonly Row[]) => void,
): Promise<void> {
  const atOnce = Math.ceil(pageRows / PARTS)
  let next = read(null)
  for (let isLast = false; !isLast; ) {
    const rows = await next
    isLast = rows.length < pageRows
    if (!isLast) next = read(rows.at(-1) ?? null)
    // Where this page fails, nobody waits for the next one.
    next.catch(() => undefined)
    for (let at = 0; at < rows.length; at += atOnce) {
      take(rows.slice(at, at + atOnce))
      await turn()
    }
  }
}
