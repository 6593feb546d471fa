import { dayOf, type NetworkName } from '@dexfeed/dex'
import type { PoolClient } from 'pg'
import type { Database } from '../database/database.ts'
import { textRows, withSnapshot } from '../database/reading-session.ts'
import type { Db } from '../database/transaction.ts'
import type { NetworkRow } from '../tables/network.ts'
import { blocksOfTimes } from '../tables/swap/blocks-of-times.ts'
import { type HopRow, readHops } from '../tables/swap/swap-hop.ts'
import type { SwapPlace } from '../tables/swap/swap-list.ts'
import {
  type DaySearch,
  daysOfTransaction,
  type FoundSwap,
  lookupOfDay,
  type SwapBoundary,
  type SwapFilter,
  scanOfDay,
  toFoundSwap,
} from '../tables/swap/swap-search.ts'
import {
  AFTER_ALL,
  behind,
  edgeOf,
  inOrder,
  mergeFound,
  type NetworkFound,
  type SwapBoundaries,
} from './merge-found.ts'
import { type IndexedNetwork, readNetworks } from './networks.ts'

/** A value with more rows on a day is not looked up by its index: a scan meets them soon. */
const LOOKUP_ROWS = 20_000
/** Rows of a network that a page looks at along the primary key; where each needs its hops, so many. */
const SCAN_ROWS = 50_000
const SCAN_ROWS_WITH_HOPS = 10_000
/** Rows that are looked at before an index is asked: what is frequent is among them. */
const GLANCE_ROWS = 1_000
/** Days of a network that a page looks into. */
const MAX_DAYS = 31

/** How much a page may read. The defaults are meant for use, others for tests. */
export interface SwapSearchLimits {
  lookupRows?: number
  scanRows?: number
  maxDays?: number
}

/** Which trades, and which of them a page has: the next ones in this order. */
export interface SwapSearch {
  filter: SwapFilter
  /** Absent: all networks that are being indexed. */
  network?: NetworkName
  ascending: boolean
  /** Where each network goes on; null: at the end of the list. */
  from: SwapBoundaries | null
  /** Going down, the list ends with the last final block. */
  final?: boolean
  limit: number
  signal?: AbortSignal
}

/** A trade with the hops behind it, in log order; none where it was stored before hops were. */
export interface SwapWithHops extends FoundSwap {
  hops: readonly HopRow[]
}

export interface FoundSwaps {
  /** The networks that were searched, as of the moment that the rows belong to. */
  networks: readonly IndexedNetwork[]
  /** By time; at one time by network, eth first. */
  rows: readonly SwapWithHops[]
  /** Where a further search goes on; null: there is nothing behind. */
  reached: SwapBoundaries | null
}

/**
 * The next trades of a search, all from one snapshot. It reads a bounded number of rows, whatever is asked for: there
 * may be fewer trades than wanted, even none, and still more behind what it reached.
 */
export async function findSwaps(
  database: Pick<Database, 'pool' | 'prisma'>,
  search: SwapSearch,
  limits: SwapSearchLimits = {},
): Promise<FoundSwaps> {
  return withSnapshot(database, search.signal, async (tx, client) => {
    const all = await readNetworks(tx)
    const networks = all.filter(({ network }) => search.network === undefined || network === search.network)
    const { txHash } = search.filter
    const known = txHash === undefined ? null : await daysOfTransaction(tx, txHash)
    const found: NetworkFound[] = []
    for (const network of networks) {
      const days = daysToSearch(network, search).filter(
        (day) => known?.some((one) => one.chainId === network.chainId && one.day === day) ?? true,
      )
      found.push(await findInNetwork(client, network, days, search, limits))
    }
    const { rows, reached } = mergeFound(found, search)
    return { networks, rows: await withHops(tx, networks, rows), reached }
  })
}

/** The days of a network that lie ahead, in the order of the search. */
function daysToSearch({ network, head, covered }: IndexedNetwork, search: SwapSearch): number[] {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = search.filter
  const oldest = Math.min(...covered.map(({ fromTime }) => fromTime))
  const newest = Math.max(head?.timestamp ?? 0, ...covered.map(({ toTime }) => toTime))
  const from = search.from?.[network]?.day
  let first = dayOf(Math.max(oldest, since))
  let last = dayOf(Math.min(newest, until - 1))
  if (from !== undefined && search.ascending) first = Math.max(first, from)
  if (from !== undefined && !search.ascending) last = Math.min(last, from)
  const days = Array.from({ length: Math.max(0, last - first + 1) || 0 }, (_, index) => first + index)
  return search.ascending ? days : days.reverse()
}

/** The next trades of one network, day by day. */
async function findInNetwork(
  client: PoolClient,
  indexed: IndexedNetwork,
  days: readonly number[],
  { filter, ascending, from, final = false, limit }: SwapSearch,
  { lookupRows = LOOKUP_ROWS, scanRows = scanRowsOf(filter), maxDays = MAX_DAYS }: SwapSearchLimits,
): Promise<NetworkFound> {
  const { network } = indexed
  const start = from?.[network] ?? startOf(indexed, days[0] ?? 0, { ascending, final })
  const rows: FoundSwap[] = []
  let budget = scanRows
  for (const [index, day] of days.entries()) {
    if (index === maxDays || budget <= 0) return { network, start, rows, frontier: edgeOf(day, ascending) }
    const whole = { network, day, filter, ascending, from: start, limit: limit - rows.length + 1 }
    const search = await betweenBlocks(client, whole)
    const glance = glanceOf(search, index === 0)
    const step = await findInDay(client, search, { glance: Math.min(glance, budget), budget, lookupRows })
    budget -= step.seen
    rows.push(...step.rows)
    const beyond = rows.length > limit ? rows.pop() : undefined
    const last = beyond === undefined ? step.last : (rows.at(-1) ?? null)
    if (last !== null) return { network, start, rows, frontier: { at: behind(last, ascending), time: last.time } }
  }
  return { network, start, rows, frontier: null }
}

/** The search of a day that its times cut goes over no more blocks than these may have: they lie in no index. */
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

/** Rows of a day that are looked at before an index is asked: just those that are wanted where each one is. */
function glanceOf({ filter, limit }: DaySearch, isFirst: boolean): number {
  const { since: _since, until: _until, ...ofRows } = filter
  if (Object.keys(ofRows).length === 0) return limit
  return isFirst && filter.txHash === undefined ? Math.max(GLANCE_ROWS, 2 * limit) : 0
}

/** What was found of a day; `last` where the day has more rows than may be looked at. */
interface Step {
  rows: FoundSwap[]
  seen: number
  last: FoundSwap | null
}

/** The next trades of a day: a glance along its rows finds what is frequent, the index what is rare, a scan the rest. */
async function findInDay(
  client: PoolClient,
  search: DaySearch,
  { glance, budget, lookupRows }: { glance: number; budget: number; lookupRows: number },
): Promise<Step> {
  const first: Step = glance === 0 ? { rows: [], seen: 0, last: null } : await scan(client, search, glance)
  const isEnough = first.last === null || first.rows.length === search.limit
  if (glance > 0 && isEnough) return first
  const from = first.last === null ? search.from : behind(first.last, search.ascending)
  const rest = { ...search, from, limit: search.limit - first.rows.length }
  const known = await lookUp(client, rest, lookupRows)
  if (known !== null) return { rows: [...first.rows, ...known], seen: first.seen, last: null }
  if (first.seen >= budget) return first
  const more = await scan(client, rest, budget - first.seen)
  return { rows: [...first.rows, ...more.rows], seen: first.seen + more.seen, last: more.last }
}

/** The trades of a day by an index; null when there is none for this search, or too many rows have that value. */
async function lookUp(client: PoolClient, search: DaySearch, most: number): Promise<FoundSwap[] | null> {
  const query = lookupOfDay(search, most)
  if (query === null) return null
  const rows = await textRows(client, query)
  if (rows.some(([count]) => Number(count) > most)) return null
  return rows.map(([, ...row]) => toFoundSwap(search.network, row)).sort(inOrder(search.ascending))
}

/** The trades among the next rows of a day. */
async function scan(client: PoolClient, search: DaySearch, budget: number): Promise<Step> {
  const rows = await textRows(client, scanOfDay(search, budget))
  const ofKind = (kind: string) =>
    rows.filter(([wanted]) => wanted === kind).map(([, , ...row]) => toFoundSwap(search.network, row))
  const seen = Number(rows[0]?.[1] ?? 0)
  const last = seen < budget ? null : (ofKind('f')[0] ?? null)
  return { rows: ofKind('t').sort(inOrder(search.ascending)), seen, last }
}

/** The end of the list at which a search without a cursor begins. */
function startOf(
  { head, finalNumber }: IndexedNetwork,
  firstDay: number,
  { ascending, final }: { ascending: boolean; final: boolean },
): SwapBoundary {
  // Without a head there are final blocks alone, or none.
  if (ascending || head === null) return edgeOf(firstDay, ascending).at
  const blockNumber = final ? (finalNumber ?? -1) : head.number
  return { ...AFTER_ALL, day: dayOf(head.timestamp), blockNumber }
}

/** Trades of these networks with the hops behind them. */
export async function withHops(
  tx: Db,
  networks: readonly NetworkRow[],
  rows: readonly FoundSwap[],
): Promise<SwapWithHops[]> {
  const hops = new Map<string, HopRow[]>()
  for (const { network, chainId } of networks) {
    const own = rows.filter((row) => row.network === network)
    if (own.length === 0) continue
    const times = own.map(({ time }) => time)
    const found = await readHops(tx, chainId, own, { from: Math.min(...times), to: Math.max(...times) })
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
