import { dayOf, type NetworkName, present } from '@dexfeed/dex'
import type { PoolClient } from 'pg'
import type { Database } from '../database/database.ts'
import { textRows, withSnapshot } from '../database/reading-session.ts'
import type { Db } from '../database/transaction.ts'
import type { NetworkRow } from '../tables/network.ts'
import { blocksOfTimes } from '../tables/swap/blocks-of-times.ts'
import { unindexedDays } from '../tables/swap/search-index.ts'
import { type HopRow, readHops } from '../tables/swap/swap-hop.ts'
import type { SwapPlace } from '../tables/swap/swap-list.ts'
import {
  blocksOfTransaction,
  type DaySearch,
  type FoundSwap,
  lookupOfDay,
  type SwapBoundary,
  type SwapFilter,
  scanOfDay,
  type TransactionBlock,
  toFoundSwap,
} from '../tables/swap/swap-search.ts'
import {
  AFTER_ALL,
  boundaryAfter,
  edgeOf,
  inOrder,
  mergeFound,
  type NetworkFound,
  type SwapBoundaries,
} from './merge-found.ts'
import { type IndexedNetwork, readNetworks } from './networks.ts'

/** Above this many rows per day with a value, the search scans instead of using the value's index. */
const LOOKUP_ROWS = 20_000
/** Maximum rows that a page scans per network; fewer if the filter needs the hops of each row. */
const SCAN_ROWS = 50_000
const SCAN_ROWS_WITH_HOPS = 10_000
/** Rows to scan before using an index; common values are found here. */
const GLANCE_ROWS = 1_000
/** The first scan covers this many pages. */
const FIRST_GLANCE = 2
const MAX_DAYS = 31

export interface SwapSearchLimits {
  lookupRows?: number
  scanRows?: number
  maxDays?: number
}

export interface SwapSearch {
  filter: SwapFilter
  network?: NetworkName
  ascending: boolean
  /** Where the page begins in each network; null for the first page. */
  from: SwapBoundaries | null
  /** Whether a descending list starts at the last final block instead of the head. */
  final?: boolean
  limit: number
  signal?: AbortSignal
}

/** `hops` are in log order; empty if none are stored for the trade. */
export interface SwapWithHops extends FoundSwap {
  hops: readonly HopRow[]
}

export interface FoundSwaps {
  networks: readonly IndexedNetwork[]
  /** Ordered by time, then by network as in NETWORK_NAMES; a descending list reverses both. */
  rows: readonly SwapWithHops[]
  /** Where the next page begins; null after the last trade. */
  reached: SwapBoundaries | null
}

/**
 * Returns a page of matching trades. Because it reads a bounded number of rows, the page may be short or empty although
 * trades follow after `reached`.
 */
export async function findSwaps(
  database: Database,
  search: SwapSearch,
  limits: SwapSearchLimits = {},
): Promise<FoundSwaps> {
  return withSnapshot(database, search.signal, async (tx, client) => {
    const all = await readNetworks(tx)
    const networks = all.filter(({ network }) => search.network === undefined || network === search.network)
    const { txHash, trader } = search.filter
    const unindexed = txHash === undefined && trader === undefined ? [] : await unindexedDays(tx)
    const blocks = txHash === undefined ? null : await blocksOfTransaction(tx, txHash, unindexed)
    const found: NetworkFound[] = []
    for (const network of networks) {
      const itsBlocks = blocks?.filter(({ chainId }) => chainId === network.chainId) ?? null
      const days = daysToSearch(network, search).filter((day) => itsBlocks?.some((block) => block.day === day) ?? true)
      found.push(await findInNetwork(client, network, { ...search, days, blocks: itsBlocks, unindexed }, limits))
    }
    const { rows, reached } = mergeFound(found, search)
    return { networks, rows: await withHops(tx, networks, rows), reached }
  })
}

function daysToSearch({ network, head, covered }: IndexedNetwork, search: SwapSearch): number[] {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = search.filter
  const oldest = Math.min(...covered.map(({ fromTime }) => fromTime))
  const ends = covered.map(({ toTime }) => toTime)
  const newest = Math.max(...ends, ...(head === null ? [] : [head.timestamp]))
  const from = search.from?.[network]?.day
  let first = dayOf(Math.max(oldest, since))
  let last = dayOf(Math.min(newest, until - 1))
  if (from !== undefined && search.ascending) first = Math.max(first, from)
  if (from !== undefined && !search.ascending) last = Math.min(last, from)
  const days = Array.from({ length: Math.max(0, last - first + 1) || 0 }, (_, index) => first + index)
  return search.ascending ? days : days.reverse()
}

interface NetworkSearch extends SwapSearch {
  days: readonly number[]
  /** Blocks of the filter's transaction; null if the filter names none. */
  blocks: readonly TransactionBlock[] | null
  unindexed: readonly number[]
}

async function findInNetwork(
  client: PoolClient,
  indexed: IndexedNetwork,
  { filter, ascending, from, final = false, limit, days, blocks, unindexed }: NetworkSearch,
  { lookupRows = LOOKUP_ROWS, scanRows = scanRowsOf(filter), maxDays = MAX_DAYS }: SwapSearchLimits,
): Promise<NetworkFound> {
  const { network } = indexed
  // With no days to search, the start does not matter.
  const start = from?.[network] ?? startOf(indexed, days[0] ?? 0, { ascending, final })
  const rows: FoundSwap[] = []
  let budget = scanRows
  for (const [index, day] of days.entries()) {
    if (index === maxDays || budget <= 0) return { network, start, rows, frontier: edgeOf(day, ascending) }
    const block = blocks?.find((found) => found.day === day)?.block
    const whole: DaySearch = {
      network,
      day,
      filter,
      ascending,
      from: start,
      limit: limit - rows.length + 1,
      isIndexed: !unindexed.includes(day),
      ...(block !== undefined && { block }),
    }
    const search = await betweenBlocks(client, whole)
    const step = await findInDay(client, search, { glances: glancesOf(search, index === 0), budget, lookupRows })
    budget -= step.seen
    rows.push(...step.rows)
    const beyond = rows.length > limit ? rows.pop() : undefined
    const last = beyond === undefined ? step.last : (rows.at(-1) ?? null)
    if (last !== null)
      return { network, start, rows, frontier: { at: boundaryAfter(last, ascending), time: last.time } }
  }
  return { network, start, rows, frontier: null }
}

/** Narrows the search of a day to the blocks that may lie between `since` and `until`, because times have no index. */
async function betweenBlocks(client: PoolClient, search: DaySearch): Promise<DaySearch> {
  const { network, day, filter, ascending, from } = search
  const query = blocksOfTimes(network, day, filter)
  if (query === null) return search
  const [row = []] = await textRows(client, query)
  const blocks = row.map((block) => (block === null ? undefined : Number(block)))
  const [first, last] = ascending ? blocks : blocks.reverse()
  const isAhead = (from: SwapBoundary, block: number) =>
    from.day !== day || (ascending ? from.blockNumber < block : from.blockNumber > block)
  const goesFrom = first !== undefined && (from === null || isAhead(from, first))
  return {
    ...search,
    ...(goesFrom && { from: { ...edgeOf(day, ascending).at, blockNumber: first } }),
    ...(last !== undefined && { lastBlock: last }),
  }
}

function glancesOf({ filter, limit }: DaySearch, isFirst: boolean): number[] {
  const { since: _since, until: _until, ...ofRows } = filter
  if (Object.keys(ofRows).length === 0) return [limit]
  if (!isFirst || filter.txHash !== undefined) return []
  const first = FIRST_GLANCE * limit
  return first < GLANCE_ROWS ? [first, GLANCE_ROWS - first] : [first]
}

interface Step {
  rows: FoundSwap[]
  seen: number
  last: FoundSwap | null
}

/** Short scans find common values, the index finds rare ones, and a long scan finds the rest. */
async function findInDay(
  client: PoolClient,
  search: DaySearch,
  { glances, budget, lookupRows }: { glances: readonly number[]; budget: number; lookupRows: number },
): Promise<Step> {
  let found: Step = { rows: [], seen: 0, last: null }
  let rest = search
  const scanNext = async (maxRows: number) => {
    const { rows, seen, last } = await scan(client, rest, maxRows)
    found = { rows: [...found.rows, ...rows], seen: found.seen + seen, last }
    const from = last === null ? rest.from : boundaryAfter(last, search.ascending)
    rest = { ...search, from, limit: search.limit - found.rows.length }
    return last === null || rest.limit === 0
  }
  for (const glance of glances) {
    if (found.seen < budget && (await scanNext(Math.min(glance, budget - found.seen)))) return found
  }
  const indexed = await lookUp(client, rest, lookupRows)
  if (indexed !== null) return { ...found, rows: [...found.rows, ...indexed], last: null }
  if (found.seen < budget) await scanNext(budget - found.seen)
  return found
}

/** Returns null if no index applies or too many rows have the value. */
async function lookUp(client: PoolClient, search: DaySearch, maxRows: number): Promise<FoundSwap[] | null> {
  const query = lookupOfDay(search, maxRows)
  if (query === null) return null
  const rows = await textRows(client, query)
  if (rows.some(([count]) => Number(count) > maxRows)) return null
  return rows.map(([, ...row]) => toFoundSwap(search.network, row)).sort(inOrder(search.ascending))
}

async function scan(client: PoolClient, search: DaySearch, budget: number): Promise<Step> {
  const rows = await textRows(client, scanOfDay(search, budget), { prepared: true })
  const ofKind = (kind: string) =>
    rows.filter(([mark]) => mark === kind).map(([, , ...row]) => toFoundSwap(search.network, row))
  const [first] = rows
  const seen = first === undefined ? 0 : Number(present(first[1]))
  const last = seen < budget ? null : (ofKind('f')[0] ?? null)
  return { rows: ofKind('t').sort(inOrder(search.ascending)), seen, last }
}

function startOf(
  { head, finalNumber }: IndexedNetwork,
  firstDay: number,
  { ascending, final }: { ascending: boolean; final: boolean },
): SwapBoundary {
  // Without a head, every stored block is final.
  if (ascending || head === null) return edgeOf(firstDay, ascending).at
  const blockNumber = final ? (finalNumber ?? -1) : head.number
  return { ...AFTER_ALL, day: dayOf(head.timestamp), blockNumber }
}

export async function withHops(
  tx: Db,
  networks: readonly NetworkRow[],
  rows: readonly FoundSwap[],
): Promise<SwapWithHops[]> {
  const hops = new Map<string, HopRow[]>()
  for (const { network, chainId } of networks) {
    const swaps = rows.filter((row) => row.network === network)
    if (swaps.length === 0) continue
    const times = swaps.map(({ time }) => time)
    const found = await readHops(tx, chainId, swaps, { from: Math.min(...times), to: Math.max(...times) })
    for (const hop of found) {
      const name = nameOf(network, hop)
      hops.set(name, [...(hops.get(name) ?? []), hop])
    }
  }
  return rows.map((row) => ({ ...row, hops: hops.get(nameOf(row.network, row)) ?? [] }))
}

function nameOf(network: NetworkName, { blockNumber, transactionIndex, position }: SwapPlace): string {
  return `${network} ${blockNumber} ${transactionIndex} ${position}`
}

function scanRowsOf({ pool, protocol }: SwapFilter): number {
  return pool === undefined && protocol === undefined ? SCAN_ROWS : SCAN_ROWS_WITH_HOPS
}
