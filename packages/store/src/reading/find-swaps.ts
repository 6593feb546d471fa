import { dayOf, type Hex, NETWORK_NAMES, type NetworkName, present, SECOND } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { preparedReads, searchReads } from '../database/reading-session.ts'
import { Prisma } from '../generated/client.ts'
import { readJson, readRows, secondsOf, together } from '../stored.ts'
import { LAKE_DAYS_BEFORE_KEPT, type LakeDayRow } from '../tables/lake-day.ts'
import { withinDays } from '../tables/swap/blocks-of-times.ts'
import { type Partition, SWAP_PARTITIONS, toUnindexedDays, unindexedDays } from '../tables/swap/search-index.ts'
import { inOrder, type SwapPlace } from '../tables/swap/swap-list.ts'
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
import { type LakeDaySearch, nameTrades, searchLakeDay } from './lake-swaps.ts'
import { boundaryAfter, edgeOf, type Frontier, mergeFound, type SwapBoundaries } from './merge-found.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, readNetworks, toIndexedNetworks } from './networks.ts'
import type { LakeReads } from './past.ts'

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
/** A page searches the lake for this long, and ends with the day that it is in. */
const LAKE_MS = 2 * SECOND

export interface SwapSearchLimits {
  lookupRows?: number
  scanRows?: number
  maxDays?: number
  lakeMs?: number
}

export interface SwapSearch {
  filter: SwapFilter
  network?: NetworkName
  ascending: boolean
  from: SwapBoundaries | null
  final?: boolean
  limit: number
  /** Whether the lake is searched, too, on days that the database no longer keeps. */
  inLake?: boolean
  signal?: AbortSignal
}

export interface FoundSwaps {
  networks: readonly IndexedNetwork[]
  /** Ordered by time, then by network as in NETWORK_NAMES; a descending list reverses both. */
  rows: readonly SwapWithHops[]
  tokens: KnownTokens
  reached: SwapBoundaries | null
  /** The days (since 1970, UTC) from the first to the last that were searched in the lake; null if none was. */
  lakeDays: { first: number; last: number } | null
}

/** What the days to search follow from. */
interface Standing {
  networks: readonly IndexedNetwork[]
  lakeDays: readonly LakeDayRow[]
}

/** As the last search saw it. */
const lastSeen = new WeakMap<Database, Standing>()

/**
 * Returns a page of matching trades. Because it examines a bounded number of rows, the page may be short or empty
 * although trades follow after `reached`.
 *
 * One statement examines the first rows of each network. If these do not fill the page, further ones examine more days,
 * or use the index of a filter. Days that the database no longer keeps are searched in the lake, one by one, if there is
 * one: whatever is in a page, the next one continues where it ended, even if days have been dropped meanwhile.
 */
export async function findSwaps(
  database: Database,
  search: SwapSearch,
  limits: SwapSearchLimits = {},
  lake: LakeReads | null = null,
): Promise<FoundSwaps> {
  const reading = { database, search, limits, lake: search.inLake ? lake : null }
  const { filter } = search
  const { txHash } = filter
  if (txHash !== undefined) return findTransaction(reading, { ...filter, txHash })
  for (;;) {
    const found = await findPage(reading)
    if (found !== null) return found
  }
}

interface SearchReading {
  database: Database
  search: SwapSearch
  limits: SwapSearchLimits
  /** Null if only the database is searched. */
  lake: LakeReads | null
}

/** Returns null if days have been dropped meanwhile, which are then to be searched in the lake. */
async function findPage(reading: SearchReading): Promise<FoundSwaps | null> {
  const { search } = reading
  const { walks, found: first } = await readFirst(reading)
  const more = await walkOn(reading, walks, first)
  if (more === null) return null
  const { lakeDays } = more
  const tokens = toKnownTokens([...first.tokens, ...more.tokens])
  return { networks: asked(first.networks, search), tokens, lakeDays, ...mergeFound(walks, search) }
}

/** Takes steps until the page is full or enough has been examined. Returns null if days have been dropped meanwhile. */
async function walkOn(
  reading: SearchReading,
  walks: readonly NetworkWalk[],
  first: Found,
): Promise<(Pick<FoundSwaps, 'lakeDays'> & { tokens: PageRows['tokens'][] }) | null> {
  const { search, limits, lake } = reading
  const { lookupRows = LOOKUP_ROWS, lakeMs = LAKE_MS } = limits
  const lakeEnd = performance.now() + lakeMs
  const tokens: PageRows['tokens'][] = []
  const lakeDays: number[] = []
  for (;;) {
    const stored = inDatabase(walks)
    if (stored.length > 0) {
      const steps = stored.map((walk) => walk.next())
      const found = await readSteps(reading, steps, { maxRows: lookupRows, unindexed: first.unindexed })
      if (lake !== null && !sameLakeDays(first, found)) return null
      for (const [index, walk] of stored.entries()) walk.take(found, present(steps[index]))
      tokens.push(...found.tokens)
      continue
    }
    const open = openOf(walks)
    const isTimeUp = lakeDays.length > 0 && performance.now() > lakeEnd
    // Newest first, a page that has trades of kept days ends before the lake, so it neither waits for it nor fails with it.
    const isOfKeptDays = !search.ascending && lakeDays.length === 0 && walks.some(({ rows }) => rows.length > 0)
    if (isOfKeptDays) for (const walk of open) walk.wait()
    if (lake === null || open.length === 0 || isTimeUp || isOfKeptDays || isFull(walks, search))
      return { tokens, lakeDays: spanOf(lakeDays) }
    lakeDays.push(...open.flatMap(({ lakeDay }) => lakeDay ?? []))
    tokens.push(...(await searchInLake(reading, lake, open)))
    // A transaction is in one block.
    if (search.filter.txHash !== undefined && open.some(({ rows }) => rows.length > 0)) {
      for (const walk of open) walk.end()
    }
  }
}

function spanOf(days: readonly number[]): FoundSwaps['lakeDays'] {
  return days.length === 0 ? null : { first: Math.min(...days), last: Math.max(...days) }
}

/** Searches a day of each network. Returns the tokens of its trades. */
async function searchInLake(
  { database, search }: SearchReading,
  lake: LakeReads,
  walks: readonly NetworkWalk[],
): Promise<PageRows['tokens'][]> {
  const found = await Promise.all(walks.map((walk) => searchLakeDay(lake, walk.nextInLake(), search.signal)))
  const trades = found.flatMap((day) => day.trades)
  const { rows, tokens } = await nameTrades(searchReads(database, false, search.signal), trades)
  for (const [index, walk] of walks.entries()) walk.takeFromLake(rows, present(found[index]).reached)
  return tokens
}

/** Whether the page is full whatever open networks still find. */
function isFull(walks: readonly NetworkWalk[], search: SwapSearch): boolean {
  const isBegun = openOf(walks).every(({ frontier }) => frontier !== null)
  return isBegun && mergeFound(walks, search).rows.length === search.limit
}

/** Reads the first step of each network, on the days that the last search saw. Reads again if these have changed. */
async function readFirst(reading: SearchReading) {
  const { database, search } = reading
  let expected = lastSeen.get(database) ?? {
    networks: await readNetworks(preparedReads(database, search.signal)),
    lakeDays: [],
  }
  for (;;) {
    const steps = inDatabase(walksOf(expected, reading)).map((walk) => walk.next())
    const found = await readSteps(reading, steps, { page: firstInTime(search.ascending, search.limit) })
    const { networks, lakeDays } = reading.lake === null ? { ...found, lakeDays: expected.lakeDays } : found
    lastSeen.set(database, { networks, lakeDays })
    if (sameDays(expected.networks, networks, search) && sameLakeDays(expected, { networks, lakeDays })) {
      // New walks, because a walk starts at its network's head.
      const walks = walksOf(found, reading)
      for (const walk of inDatabase(walks)) walk.take(found, walk.next())
      return { walks, found }
    }
    expected = { networks, lakeDays }
  }
}

function readSteps(
  reading: SearchReading,
  steps: readonly Planned[],
  { maxRows = 0, unindexed = [], page }: { maxRows?: number; unindexed?: readonly number[]; page?: Prisma.Sql },
): Promise<Found> {
  const { search } = reading
  const searches = steps.map((step) => {
    if (step.kind === 'scan') return scanned(step.search, step.budget)
    return lookedUp(step.search, { maxRows, budget: step.budget, unindexed })
  })
  const window = withinAny(steps.map((step) => step.search.days))
  // Most searches begin at the newest trades: their statements stay the same all day.
  const isUsual = search.from === null && search.filter.since === undefined && search.filter.until === undefined
  return read(reading, { searches, window, isUsual, ...(page && { page }) })
}

function withinAny(windows: readonly (readonly number[])[]): Prisma.Sql {
  if (windows.length === 0) return Prisma.sql`false`
  const conditions = windows.map((days) => Prisma.sql`(${withinDays(days)})`)
  return Prisma.sql`(${Prisma.join(conditions, ' OR ')})`
}

function openOf(walks: readonly NetworkWalk[]): NetworkWalk[] {
  return walks.filter(({ isOpen }) => isOpen)
}

/** Those that continue in the database. */
function inDatabase(walks: readonly NetworkWalk[]): NetworkWalk[] {
  return openOf(walks).filter(({ lakeDay }) => lakeDay === null)
}

function asked(networks: readonly IndexedNetwork[], { network: only }: SwapSearch): IndexedNetwork[] {
  return networks.filter(({ network }) => only === undefined || network === only)
}

function walksOf({ networks, lakeDays }: Standing, { search, limits, lake }: SearchReading): NetworkWalk[] {
  const { scanRows = scanRowsOf(search.filter), maxDays = MAX_DAYS } = limits
  return asked(networks, search).map((network) => {
    const days = daysToSearch(network, search)
    const versions = lake === null ? NO_DAYS : versionsOf(network, lakeDays)
    return new NetworkWalk(network, search, { days, maxDays, budget: scanRows, versions })
  })
}

/** Versions in the lake, by day since 1970. */
type Versions = ReadonlyMap<number, number>
const NO_DAYS: Versions = new Map()

function versionsOf({ chainId }: IndexedNetwork, days: readonly LakeDayRow[]): Versions {
  return new Map(days.filter(({ chain_id }) => chain_id === chainId).map(({ day, version }) => [day, version]))
}

function sameLakeDays(a: Standing, b: Standing): boolean {
  return JSON.stringify(a.lakeDays) === JSON.stringify(b.lakeDays)
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
async function findTransaction(reading: SearchReading, filter: SwapFilter & { txHash: Hex }): Promise<FoundSwaps> {
  const { database, search, lake } = reading
  const unindexed = await unindexedDays(preparedReads(database, search.signal))
  const daysBy = async (query: Prisma.Sql) => {
    const rows = await readRows<{ day: number }>(searchReads(database, true, search.signal), query)
    return rows.map(({ day }) => [day])
  }
  let days = await daysBy(daysOfTransaction(filter.txHash, unindexed))
  if (days.length === 0 && unindexed.length > 0) days = await daysBy(firstDayOfTransaction(filter.txHash, unindexed))
  const window = withinAny(days)
  const only = search.network === undefined ? NETWORK_NAMES : [search.network]
  const found = await read(reading, {
    searches: only.map((network) => ofTransaction(network, filter, window)),
    window,
  })
  const networks = asked(found.networks, search)
  if (lake !== null && found.rows.length === 0) return findTransactionInLake(reading, found)
  const walks = networks.map((network) => {
    const days = daysToSearch(network, search)
    const walk = new NetworkWalk(network, search, { days, maxDays: MAX_DAYS, budget: 0, versions: NO_DAYS })
    const rows = found.rows.filter((row) => walk.isAhead(row)).sort(inOrder(search.ascending))
    walk.take({ rows, ends: [] }, { kind: 'scan', budget: 0, search: { days: [] } })
    return walk
  })
  return { networks, tokens: toKnownTokens(found.tokens), lakeDays: null, ...mergeFound(walks, search) }
}

async function findTransactionInLake(reading: SearchReading, found: Found): Promise<FoundSwaps> {
  const { search, limits } = reading
  const networks = asked(found.networks, search)
  const walks = networks.map((network) => {
    const versions = versionsOf(network, found.lakeDays)
    const days = daysToSearch(network, search).filter((day) => versions.has(day))
    return new NetworkWalk(network, search, { days, maxDays: limits.maxDays ?? MAX_DAYS, budget: 1, versions })
  })
  const more = await walkOn(reading, walks, found)
  const tokens = toKnownTokens(more?.tokens ?? [])
  return { networks, tokens, lakeDays: more?.lakeDays ?? null, ...mergeFound(walks, search) }
}

interface Found extends Standing {
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
  { database, search: { filter, signal }, lake }: SearchReading,
  { searches, window, page = Prisma.sql`SELECT * FROM searched WHERE matching`, isUsual = false }: Reading,
): Promise<Found> {
  const queries = {
    ...NETWORK_QUERIES,
    ...pageQueries(window),
    swaps: swapsIn(Prisma.sql`searched WHERE matching`),
    ends: Prisma.sql`SELECT * FROM searched WHERE last`,
    ...(filter.trader !== undefined && { partitions: SWAP_PARTITIONS }),
    ...(lake !== null && { lakeDays: LAKE_DAYS_BEFORE_KEPT }),
  }
  const parts = searches.length === 0 ? [NO_TRADES] : searches.map((query) => Prisma.sql`(${query})`)
  const statement = Prisma.sql`
    WITH searched AS MATERIALIZED (${Prisma.join(parts, ' UNION ALL ')}), page AS MATERIALIZED (${page})
    ${together(queries)}`
  const reads = searchReads(database, isUsual, signal)
  type Rows = NetworkRows & PageRows & { ends: SearchedSwap; partitions: Partition; lakeDays: LakeDayRow }
  type Read = { [Name in keyof Rows]: Rows[Name][] }
  const found = await readJson<Omit<Read, 'partitions' | 'lakeDays'> & Partial<Read>>(reads, statement)
  return {
    networks: toIndexedNetworks(found),
    lakeDays: found.lakeDays ?? [],
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

interface WalkOptions {
  /** In the order of the search. */
  days: readonly number[]
  maxDays: number
  budget: number
  /** The days that are searched in the lake. */
  versions: Versions
}

class NetworkWalk {
  readonly network: NetworkName
  readonly start: SwapBoundary
  readonly rows: SwapWithHops[] = []
  frontier: Frontier | null = null
  readonly #chainId: number
  readonly #search: SwapSearch
  readonly #days: readonly number[]
  readonly #versions: Versions
  /** How many of the days this page may search. */
  readonly #dayCount: number
  /** Index of the day on which the search continues. */
  #next = 0
  #windowDays = 0
  #budget: number
  #commonDay: number | null = null

  constructor(network: IndexedNetwork, search: SwapSearch, { days, maxDays, budget, versions }: WalkOptions) {
    this.network = network.network
    this.#chainId = network.chainId
    this.#search = search
    this.#days = days
    this.#versions = versions
    this.#dayCount = Math.min(maxDays, this.#days.length)
    this.#budget = budget
    // With no days to search, the start does not matter.
    this.start = search.from?.[network.network] ?? startOf(network, this.#days[0] ?? 0, search.ascending)
  }

  /** Whether another step may find more. */
  get isOpen(): boolean {
    return this.#budget > 0 && this.rows.length <= this.#search.limit && this.#next < this.#dayCount
  }

  /** The day on which the search continues, if that is in the lake. */
  get lakeDay(): number | null {
    const day = this.#days[this.#next]
    return day !== undefined && this.#versions.has(day) ? day : null
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
    const stored = this.#days.slice(this.#next, this.#dayCount)
    const inLake = stored.findIndex((day) => this.#versions.has(day))
    const left = inLake === -1 ? stored.length : inLake
    const days = isCommon ? 1 : Math.min(left, isLookup ? 4 * this.#windowDays : this.#windowDays)
    const window = stored.slice(0, days)
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

  nextInLake(): LakeDaySearch {
    const { filter, ascending, limit } = this.#search
    const day = present(this.lakeDay)
    const from = this.frontier?.at ?? this.#search.from?.[this.network] ?? null
    return {
      network: this.network,
      day,
      version: present(this.#versions.get(day)),
      filter,
      ascending,
      from: from?.day === day ? from : null,
      limit: limit + 1 - this.rows.length,
    }
  }

  /** @param reached where the search of the day continues; null behind it */
  takeFromLake(rows: readonly SwapWithHops[], reached: SwapPlace | null): void {
    const { ascending, limit } = this.#search
    this.rows.push(...rows.filter(({ network }) => network === this.network))
    const lastOfPage = this.rows.length > limit ? this.rows[limit - 1] : undefined
    const day = present(this.lakeDay)
    if (lastOfPage !== undefined) this.#goOnAfter(lastOfPage, ascending)
    else if (reached === null) this.#goOnBehind(day)
    else this.frontier = { at: { day, ...reached }, time: edgeOf(day, ascending).time }
  }

  /** The next page goes on here. */
  wait(): void {
    this.frontier ??= { at: this.start, time: edgeOf(present(this.lakeDay), this.#search.ascending).time }
  }

  /** There is nothing behind the rows that have been read. */
  end(): void {
    if (this.rows.length <= this.#search.limit) this.#goOnBehind(undefined)
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
