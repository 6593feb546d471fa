import { dayOf, type Hex, NETWORK_NAMES, type NetworkName, present } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { preparedReads, searchReads } from '../database/reading-session.ts'
import { Prisma } from '../generated/client.ts'
import { readJson, readRows, secondsOf, together } from '../stored.ts'
import { withinDays } from '../tables/swap/blocks-of-times.ts'
import { type Partition, SWAP_PARTITIONS, toUnindexedDays, unindexedDays } from '../tables/swap/search-index.ts'
import { inOrder } from '../tables/swap/swap-list.ts'
import {
  type FoundSwap,
  firstInTime,
  type KnownTokens,
  type PageRows,
  pageQueries,
  type SwapWithHops,
  swapsIn,
  toFoundSwap,
  toKnownTokens,
  toPage,
} from '../tables/swap/swap-page.ts'
import {
  AFTER_ALL,
  daysOfTransaction,
  firstDayOfTransaction,
  hasIndex,
  lookedUp,
  type NetworkSearch,
  NO_TRADES,
  ofTransaction,
  type SearchedSwap,
  type SwapBoundary,
  type SwapFilter,
  scanned,
} from '../tables/swap/swap-search.ts'
import { boundaryAfter, edgeOf, type Frontier, mergeFound, type SwapBoundaries } from './merge-found.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, readNetworks, toIndexedNetworks } from './networks.ts'

/** Above this many rows per day with a value, the search scans instead of using the value's index. */
const LOOKUP_ROWS = 5_000
/** Maximum rows that a page examines per network; fewer if the filter needs the hops of each row. */
const SCAN_ROWS = 50_000
const SCAN_ROWS_WITH_HOPS = 10_000
/** Rows to scan before using an index; common values are found among them. */
const GLANCE_ROWS = 2_000
const MAX_DAYS = 31
/** Days that the first statement reads; each further one reads twice as many. */
const FIRST_DAYS = 2

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

/** The networks as the last search saw them. */
const lastSeen = new WeakMap<Database, readonly IndexedNetwork[]>()

/**
 * Returns a page of matching trades. Because it examines a bounded number of rows, the page may be short or empty
 * although trades follow after `reached`.
 *
 * One statement examines the first rows of each network. If these do not fill the page, further ones examine more days,
 * or use the index of a filter.
 */
export async function findSwaps(
  database: Database,
  search: SwapSearch,
  limits: SwapSearchLimits = {},
): Promise<FoundSwaps> {
  const { filter } = search
  const { txHash } = filter
  if (txHash !== undefined) return findTransaction(database, search, { ...filter, txHash })
  const { walks, found: first } = await readFirst(database, search, limits)
  const { lookupRows = LOOKUP_ROWS } = limits
  const tokens = [...first.tokens]
  for (let open = openOf(walks); open.length > 0; open = openOf(walks)) {
    const steps = open.map((walk) => walk.next())
    const found = await readSteps(database, search, steps, { maxRows: lookupRows, unindexed: first.unindexed })
    for (const [index, walk] of open.entries()) walk.take(found, present(steps[index]))
    tokens.push(...found.tokens)
  }
  return { networks: asked(first.networks, search), tokens: toKnownTokens(tokens), ...mergeFound(walks, search) }
}

/** Reads the first step of each network, on the days that the last search saw. Reads again if these have changed. */
async function readFirst(database: Database, search: SwapSearch, limits: SwapSearchLimits) {
  let expected = lastSeen.get(database) ?? (await readNetworks(preparedReads(database, search.signal)))
  for (;;) {
    const steps = openOf(walksOf(expected, search, limits)).map((walk) => walk.next())
    const found = await readSteps(database, search, steps, { page: firstInTime(search.ascending, search.limit) })
    lastSeen.set(database, found.networks)
    if (sameDays(expected, found.networks, search)) {
      // New walks, because a walk starts at its network's head.
      const walks = walksOf(found.networks, search, limits)
      for (const walk of openOf(walks)) walk.take(found, walk.next())
      return { walks, found }
    }
    expected = found.networks
  }
}

function readSteps(
  database: Database,
  search: SwapSearch,
  steps: readonly Planned[],
  { maxRows = 0, unindexed = [], page }: { maxRows?: number; unindexed?: readonly number[]; page?: Prisma.Sql },
): Promise<Found> {
  const searches = steps.map((step) => {
    if (step.kind === 'scan') return scanned(step.search, step.budget)
    return lookedUp(step.search, { maxRows, budget: step.budget, unindexed })
  })
  const window = withinAny(steps.map((step) => step.search.days))
  // Most searches begin at the newest trades: their statements stay the same all day.
  const isUsual = search.from === null && search.filter.since === undefined && search.filter.until === undefined
  return read(database, search, { searches, window, isUsual, ...(page && { page }) })
}

function withinAny(windows: readonly (readonly number[])[]): Prisma.Sql {
  if (windows.length === 0) return Prisma.sql`false`
  const conditions = windows.map((days) => Prisma.sql`(${withinDays(days)})`)
  return Prisma.sql`(${Prisma.join(conditions, ' OR ')})`
}

function openOf(walks: readonly NetworkWalk[]): NetworkWalk[] {
  return walks.filter(({ isOpen }) => isOpen)
}

function asked(networks: readonly IndexedNetwork[], { network: only }: SwapSearch): IndexedNetwork[] {
  return networks.filter(({ network }) => only === undefined || network === only)
}

function walksOf(
  networks: readonly IndexedNetwork[],
  search: SwapSearch,
  { scanRows = scanRowsOf(search.filter), maxDays = MAX_DAYS }: SwapSearchLimits,
): NetworkWalk[] {
  return asked(networks, search).map((network) => new NetworkWalk(network, search, { maxDays, budget: scanRows }))
}

function sameDays(a: readonly IndexedNetwork[], b: readonly IndexedNetwork[], search: SwapSearch): boolean {
  const daysOf = (networks: readonly IndexedNetwork[]) =>
    JSON.stringify(asked(networks, search).map((network) => [network.network, daysToSearch(network, search)]))
  return daysOf(a) === daysOf(b)
}

/**
 * Finds the days of a transaction first, because planning a page's whole statement for a month of days takes longer
 * than reading the page. Days without the index are read only if the other days lack the transaction.
 */
async function findTransaction(
  database: Database,
  search: SwapSearch,
  filter: SwapFilter & { txHash: Hex },
): Promise<FoundSwaps> {
  const unindexed = await unindexedDays(preparedReads(database, search.signal))
  const daysBy = async (query: Prisma.Sql) => {
    const rows = await readRows<{ day: number }>(searchReads(database, true, search.signal), query)
    return rows.map(({ day }) => [day])
  }
  let days = await daysBy(daysOfTransaction(filter.txHash, unindexed))
  if (days.length === 0 && unindexed.length > 0) days = await daysBy(firstDayOfTransaction(filter.txHash, unindexed))
  const window = withinAny(days)
  const only = search.network === undefined ? NETWORK_NAMES : [search.network]
  const found = await read(database, search, {
    searches: only.map((network) => ofTransaction(network, filter, window)),
    window,
  })
  const networks = asked(found.networks, search)
  const walks = networks.map((network) => {
    const walk = new NetworkWalk(network, search, { maxDays: MAX_DAYS, budget: 0 })
    const rows = found.rows.filter((row) => walk.isAhead(row)).sort(inOrder(search.ascending))
    walk.take({ rows, ends: [] }, { kind: 'scan', budget: 0, search: { days: [] } })
    return walk
  })
  return { networks, tokens: toKnownTokens(found.tokens), ...mergeFound(walks, search) }
}

interface Found {
  networks: IndexedNetwork[]
  unindexed: number[]
  rows: SwapWithHops[]
  ends: SearchedSwap[]
  tokens: PageRows['tokens'][]
}

interface Reading {
  searches: readonly Prisma.Sql[]
  /** A condition that `block_time` of the trades meets; absent for any day. */
  window?: Prisma.Sql
  /** Selects from `searched` the trades whose hops and tokens are read; absent for all. */
  page?: Prisma.Sql
  /** Whether to keep its plan. */
  isUsual?: boolean
}

/** Runs the searches of several networks as one statement. */
async function read(
  database: Database,
  { filter, signal }: SwapSearch,
  { searches, window, page = Prisma.sql`SELECT * FROM searched WHERE matching`, isUsual = false }: Reading,
): Promise<Found> {
  const queries = {
    ...NETWORK_QUERIES,
    ...pageQueries(window),
    swaps: swapsIn(Prisma.sql`searched WHERE matching`),
    ends: Prisma.sql`SELECT * FROM searched WHERE last`,
    ...(filter.trader !== undefined && { partitions: SWAP_PARTITIONS }),
  }
  const parts = searches.length === 0 ? [NO_TRADES] : searches.map((query) => Prisma.sql`(${query})`)
  const statement = Prisma.sql`
    WITH searched AS MATERIALIZED (${Prisma.join(parts, ' UNION ALL ')}), page AS MATERIALIZED (${page})
    ${together(queries)}`
  const reads = searchReads(database, isUsual, signal)
  type Rows = NetworkRows & PageRows & { ends: SearchedSwap; partitions: Partition }
  type Read = { [Name in keyof Rows]: Rows[Name][] }
  const found = await readJson<Omit<Read, 'partitions'> & Partial<Read>>(reads, statement)
  return {
    networks: toIndexedNetworks(found),
    unindexed: toUnindexedDays(found.partitions ?? []),
    rows: toPage(found),
    ends: found.ends,
    tokens: found.tokens,
  }
}

interface Step {
  kind: 'scan' | 'lookup'
  budget: number
  search: Pick<NetworkSearch, 'days'>
}

interface Planned extends Step {
  search: NetworkSearch
}

class NetworkWalk {
  readonly network: NetworkName
  readonly start: SwapBoundary
  readonly rows: SwapWithHops[] = []
  frontier: Frontier | null = null
  readonly #chainId: number
  readonly #search: SwapSearch
  readonly #days: readonly number[]
  /** How many of the days this page may search. */
  readonly #dayCount: number
  /** Index of the day on which the search continues. */
  #next = 0
  #windowDays = 0
  #budget: number
  #commonDay: number | null = null

  constructor(network: IndexedNetwork, search: SwapSearch, { maxDays, budget }: { maxDays: number; budget: number }) {
    this.network = network.network
    this.#chainId = network.chainId
    this.#search = search
    this.#days = daysToSearch(network, search)
    this.#dayCount = Math.min(maxDays, this.#days.length)
    this.#budget = budget
    // With no days to search, the start does not matter.
    this.start = search.from?.[network.network] ?? startOf(network, this.#days[0] ?? 0, search.ascending)
  }

  /** Whether another step may find more. */
  get isOpen(): boolean {
    return this.#budget > 0 && this.rows.length <= this.#search.limit && this.#next < this.#dayCount
  }

  isAhead(row: SwapWithHops): boolean {
    const { ascending } = this.#search
    const day = dayOf(row.time)
    if (row.network !== this.network || !this.#days.includes(day)) return false
    const order = inOrder(ascending)(this.start, row)
    return day !== this.start.day || (ascending ? order < 0 : order <= 0)
  }

  next(): Planned {
    const { filter, ascending, limit, final = false } = this.#search
    // Without a place, the statement begins at the head that it sees.
    const from = this.frontier?.at ?? this.#search.from?.[this.network] ?? null
    const isCommon = from !== null && from.day === this.#commonDay
    const isFirst = this.#windowDays === 0
    const isLookup = hasIndex(filter) && !isFirst && !isCommon
    this.#windowDays = isFirst ? FIRST_DAYS : 2 * this.#windowDays
    const left = this.#dayCount - this.#next
    const days = isCommon ? 1 : Math.min(left, isLookup ? 4 * this.#windowDays : this.#windowDays)
    const window = this.#days.slice(this.#next, this.#next + days)
    const budget = hasIndex(filter) && isFirst ? Math.min(GLANCE_ROWS, this.#budget) : this.#budget
    const search = { network: this.network, filter, ascending, from, final, days: window }
    return { kind: isLookup ? 'lookup' : 'scan', budget, search: { ...search, limit: limit + 1 - this.rows.length } }
  }

  take(found: Pick<Found, 'rows' | 'ends'>, { kind, budget, search }: Step): void {
    const { ascending, limit } = this.#search
    const end = found.ends.find(({ chain_id }) => chain_id === this.#chainId)
    this.rows.push(...found.rows.filter(({ network }) => network === this.network))
    this.#budget -= end?.examined ?? 0
    const lastOfPage = this.rows.length > limit ? this.rows[limit - 1] : undefined
    if (lastOfPage !== undefined) this.#goOnAfter(lastOfPage, ascending)
    else if (end === undefined) this.#goOnBehind(search.days.at(-1))
    else if (kind === 'scan') {
      if (end.examined === budget) this.#goOnAfter(toFoundSwap(end), ascending)
      else this.#goOnBehind(search.days.at(-1))
    } else {
      const day = dayOf(secondsOf(end.block_time))
      if (!end.common) this.#goOnBehind(day)
      else {
        this.#commonDay = day
        this.#next = this.#days.indexOf(day)
        if (day !== this.frontier?.at.day) this.frontier = edgeOf(day, ascending)
      }
    }
  }

  #goOnAfter(row: FoundSwap, ascending: boolean): void {
    this.frontier = { at: boundaryAfter(row, ascending), time: row.time }
    this.#next = this.#days.indexOf(this.frontier.at.day)
  }

  #goOnBehind(day: number | undefined): void {
    this.#next = day === undefined ? this.#days.length : this.#days.indexOf(day) + 1
    const next = this.#days[this.#next]
    this.frontier = next === undefined ? null : edgeOf(next, this.#search.ascending)
  }
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
