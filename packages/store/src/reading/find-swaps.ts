import { dayOf, type Hex, NETWORK_NAMES, NETWORKS, type NetworkName, present } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { preparedReads } from '../database/reading-session.ts'
import { Prisma } from '../generated/client.ts'
import { readJson, secondsOf, together } from '../stored.ts'
import { coveredTimes } from '../tables/covered-range.ts'
import { type Partition, SWAP_PARTITIONS, toUnindexedDays, unindexedDays } from '../tables/swap/search-index.ts'
import { inOrder } from '../tables/swap/swap-list.ts'
import {
  type FoundSwap,
  firstInTime,
  type KnownTokens,
  PAGE_QUERIES,
  type PageRows,
  type SwapWithHops,
  swapsIn,
  toFoundSwap,
  toKnownTokens,
  toPage,
} from '../tables/swap/swap-page.ts'
import {
  AFTER_ALL,
  hasIndex,
  lookedUp,
  type NetworkSearch,
  ofTransaction,
  ofTransactionAmong,
  type SearchedSwap,
  type SwapBoundary,
  type SwapFilter,
  scanned,
} from '../tables/swap/swap-search.ts'
import { boundaryAfter, edgeOf, type Frontier, mergeFound, type SwapBoundaries } from './merge-found.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, toIndexedNetworks } from './networks.ts'

/** Above this many rows per day with a value, the search scans instead of using the value's index. */
const LOOKUP_ROWS = 5_000
/** Maximum rows that a page examines per network; fewer if the filter needs the hops of each row. */
const SCAN_ROWS = 50_000
const SCAN_ROWS_WITH_HOPS = 10_000
/** Rows to scan before using an index; common values are found among them. */
const GLANCE_ROWS = 2_000
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
  from: SwapBoundaries | null
  final?: boolean
  limit: number
  signal?: AbortSignal
}

export interface FoundSwaps {
  networks: readonly IndexedNetwork[]
  /** Ordered by time, then by network as in NETWORK_NAMES; a descending list reverses both. */
  rows: readonly SwapWithHops[]
  tokens: KnownTokens
  reached: SwapBoundaries | null
}

/**
 * Returns a page of matching trades. Because it examines a bounded number of rows, the page may be short or empty
 * although trades follow after `reached`.
 *
 * One statement examines the first rows of each network. If they do not fill the page and a filter has an index, further
 * statements look the value up, starting where the first one stopped.
 */
export async function findSwaps(
  database: Database,
  search: SwapSearch,
  { lookupRows = LOOKUP_ROWS, scanRows = scanRowsOf(search.filter), maxDays = MAX_DAYS }: SwapSearchLimits = {},
): Promise<FoundSwaps> {
  const { filter, ascending, from, limit, final = false } = search
  const { txHash } = filter
  if (txHash !== undefined) return findTransaction(database, search, { ...filter, txHash })
  const budget = hasIndex(filter) ? Math.min(scanRows, GLANCE_ROWS) : scanRows
  const scan = (network: NetworkName) => {
    const covered = coveredTimes(NETWORKS[network].chainId)
    const begin = from?.[network] ?? null
    return scanned({ network, covered, filter, ascending, from: begin, final, days: maxDays, limit: limit + 1 }, budget)
  }
  const first = await read(database, search, scan, firstInTime(ascending, limit))
  const walks = first.networks.map((network) => new NetworkWalk(network, search, { maxDays, budget: scanRows }))
  for (const walk of walks) walk.take(first, { kind: 'scan', budget, index: 0, days: maxDays })
  const { tokens } = first
  for (;;) {
    const open = hasIndex(filter) ? walks.filter(({ isOpen }) => isOpen) : []
    if (open.length === 0) break
    const steps = new Map(open.map((walk) => [walk.network, walk.next()]))
    const found = await read(database, search, (network) => {
      const step = steps.get(network)
      if (step === undefined) return null
      if (step.kind === 'scan') return scanned(step.search, step.budget)
      return lookedUp(step.search, { maxRows: lookupRows, budget: step.budget, unindexed: first.unindexed })
    })
    for (const walk of open) walk.take(found, present(steps.get(walk.network)))
    tokens.push(...found.tokens)
  }
  return { networks: first.networks, tokens: toKnownTokens(tokens), ...mergeFound(walks, search) }
}

async function findTransaction(
  database: Database,
  search: SwapSearch,
  filter: SwapFilter & { txHash: Hex },
): Promise<FoundSwaps> {
  const unindexed = await unindexedDays(preparedReads(database, search.signal))
  let found = await read(database, search, (network) => ofTransaction(network, filter, unindexed))
  if (found.rows.length === 0 && unindexed.length > 0) {
    found = await read(database, search, (network) => ofTransactionAmong(network, filter, unindexed))
  }
  const walks = found.networks.map((network) => {
    const walk = new NetworkWalk(network, search, { maxDays: MAX_DAYS, budget: 0 })
    const rows = found.rows.filter((row) => walk.isAhead(row)).sort(inOrder(search.ascending))
    walk.take({ rows, ends: [] }, { kind: 'scan', budget: 0, index: 0, days: Number.MAX_SAFE_INTEGER })
    return walk
  })
  return { networks: found.networks, tokens: toKnownTokens(found.tokens), ...mergeFound(walks, search) }
}

interface Found {
  networks: IndexedNetwork[]
  unindexed: number[]
  rows: SwapWithHops[]
  ends: SearchedSwap[]
  tokens: PageRows['tokens'][]
}

async function read(
  database: Database,
  { network: only, filter, signal }: SwapSearch,
  searchOf: (network: NetworkName) => Prisma.Sql | null,
  page = Prisma.sql`SELECT * FROM searched WHERE matching`,
): Promise<Found> {
  const asked = only === undefined ? NETWORK_NAMES : [only]
  const searches = asked.flatMap((network) => searchOf(network) ?? []).map((query) => Prisma.sql`(${query})`)
  const queries = {
    ...NETWORK_QUERIES,
    ...PAGE_QUERIES,
    swaps: swapsIn(Prisma.sql`searched WHERE matching`),
    ends: Prisma.sql`SELECT * FROM searched WHERE last`,
    ...(filter.trader !== undefined && { partitions: SWAP_PARTITIONS }),
  }
  const statement = Prisma.sql`
    WITH searched AS MATERIALIZED (${Prisma.join(searches, ' UNION ALL ')}),
      page AS MATERIALIZED (${page})
    ${together(queries)}`
  type Rows = NetworkRows & PageRows & { ends: SearchedSwap; partitions: Partition }
  type Read = { [Name in keyof Rows]: Rows[Name][] }
  const found = await readJson<Omit<Read, 'partitions'> & Partial<Read>>(preparedReads(database, signal), statement)
  return {
    networks: toIndexedNetworks(found).filter(({ network }) => asked.includes(network)),
    unindexed: toUnindexedDays(found.partitions ?? []),
    rows: toPage(found),
    ends: found.ends,
    tokens: found.tokens,
  }
}

interface Step {
  kind: 'scan' | 'lookup'
  budget: number
  index: number
  days: number
}

class NetworkWalk {
  readonly network: NetworkName
  readonly start: SwapBoundary
  readonly rows: SwapWithHops[] = []
  frontier: Frontier | null = null
  readonly #chainId: number
  readonly #search: SwapSearch
  readonly #days: readonly number[]
  readonly #maxDays: number
  #budget: number
  #commonDay: number | null = null

  constructor(network: IndexedNetwork, search: SwapSearch, { maxDays, budget }: { maxDays: number; budget: number }) {
    this.network = network.network
    this.#chainId = network.chainId
    this.#search = search
    this.#days = daysToSearch(network, search)
    this.#maxDays = maxDays
    this.#budget = budget
    // With no days to search, the start does not matter.
    this.start = search.from?.[network.network] ?? startOf(network, this.#days[0] ?? 0, search.ascending)
  }

  get isOpen(): boolean {
    if (this.frontier === null || this.#budget <= 0 || this.rows.length > this.#search.limit) return false
    return this.#days.indexOf(this.frontier.at.day) < this.#maxDays
  }

  isAhead(row: SwapWithHops): boolean {
    const { ascending } = this.#search
    const day = dayOf(row.time)
    if (row.network !== this.network || !this.#days.includes(day)) return false
    const order = inOrder(ascending)(this.start, row)
    return day !== this.start.day || (ascending ? order < 0 : order <= 0)
  }

  next(): Step & { search: NetworkSearch } {
    const { filter, ascending, limit, final = false } = this.#search
    const from = present(this.frontier).at
    const index = this.#days.indexOf(from.day)
    const isCommon = from.day === this.#commonDay
    const days = isCommon ? 1 : this.#maxDays - index
    const asked = { network: this.network, covered: coveredTimes(this.#chainId), filter, ascending, final }
    const search = { ...asked, from, days, limit: limit + 1 - this.rows.length }
    return { kind: isCommon ? 'scan' : 'lookup', budget: this.#budget, index, days, search }
  }

  take(found: Pick<Found, 'rows' | 'ends'>, { kind, budget, index, days }: Step): void {
    const { ascending, limit } = this.#search
    const end = found.ends.find(({ chain_id }) => chain_id === this.#chainId)
    this.rows.push(...found.rows.filter(({ network }) => network === this.network))
    this.#budget -= end?.examined ?? 0
    const lastOfPage = this.rows.length > limit ? this.rows[limit - 1] : undefined
    if (lastOfPage !== undefined) this.frontier = after(lastOfPage, ascending)
    else if (end === undefined) this.frontier = this.#edgeAfter(index + days - 1)
    else if (kind === 'scan') {
      this.frontier = end.examined === budget ? after(toFoundSwap(end), ascending) : this.#edgeAfter(index + days - 1)
    } else {
      const day = dayOf(secondsOf(end.block_time))
      if (!end.common) this.frontier = this.#edgeAfter(this.#days.indexOf(day))
      else if (day !== this.frontier?.at.day) this.frontier = edgeOf(day, ascending)
      if (end.common) this.#commonDay = day
    }
  }

  #edgeAfter(index: number): Frontier | null {
    const day = this.#days[index + 1]
    return day === undefined ? null : edgeOf(day, this.#search.ascending)
  }
}

function after(row: FoundSwap, ascending: boolean): Frontier {
  return { at: boundaryAfter(row, ascending), time: row.time }
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

function startOf({ head }: IndexedNetwork, firstDay: number, ascending: boolean): SwapBoundary {
  // Without a head, every stored block is final.
  if (ascending || head === null) return edgeOf(firstDay, ascending).at
  return { ...AFTER_ALL, day: dayOf(head.timestamp), blockNumber: head.number }
}

function scanRowsOf({ pool, protocol }: SwapFilter): number {
  return pool === undefined && protocol === undefined ? SCAN_ROWS : SCAN_ROWS_WITH_HOPS
}
