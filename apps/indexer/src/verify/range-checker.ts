import {
  type Address,
  type Block,
  type BlockPoint,
  type BlockRange,
  type CoveredRange,
  type PoolCreation,
  type PricedMove,
  type PricedTrade,
  present,
  type ReferenceBook,
  SECOND,
} from '@dexfeed/dex'
import {
  asStoredLiquidity,
  asStoredTrade,
  type IndexerStore,
  LIQUIDITY_COLUMNS,
  type StoredRow,
  TRADE_COLUMNS,
} from '@dexfeed/store'
import type { FreshBookBefore } from '../blocks/network-context.ts'
import { type BlockEvents, type BlockProcessor, poolsOf } from '../blocks/process-blocks.ts'
import { type RangePart, type RangeSource, readAhead, readParts } from '../blocks/read-ahead.ts'
import { type DayCounters, withRightCounters } from '../days/with-right-counters.ts'
import type { IndexerLog } from '../loops/loop.ts'
import type { PoolCache } from '../pools/pool-cache.ts'

interface StoredDifference {
  row: ComparedRow
  kind: 'missing' | 'extra' | 'changed'
  blockNumber: number
  transactionIndex: number
  position: number
  txHash: string
  columns: { name: string; stored: string | null; chain: string | null }[]
}

type ComparedRow = 'trade' | 'liquidity'
const COLUMNS: Record<ComparedRow, readonly string[]> = { trade: TRADE_COLUMNS, liquidity: LIQUIDITY_COLUMNS }

/** Compares stored rows with those of the chain. The position of a liquidity event is that of its log. */
export function compareRows(
  row: ComparedRow,
  stored: readonly StoredRow[],
  chain: readonly StoredRow[],
): StoredDifference[] {
  const differences: StoredDifference[] = []
  let i = 0
  let j = 0
  for (;;) {
    const known = stored[i]
    const found = chain[j]
    if (known === undefined && found === undefined) return differences
    const order = known === undefined ? 1 : found === undefined ? -1 : comparePlaces(known, found)
    if (order <= 0) i++
    if (order >= 0) j++
    if (known !== undefined && order < 0) differences.push(describe(row, 'extra', known, []))
    else if (found !== undefined && order > 0) differences.push(describe(row, 'missing', found, []))
    else if (known !== undefined && found !== undefined) {
      const columns = compareColumns(row, known, found)
      if (columns.length > 0) differences.push(describe(row, 'changed', found, columns))
    }
  }
}

function compareColumns(
  row: ComparedRow,
  { values: stored }: StoredRow,
  { values: chain }: StoredRow,
): StoredDifference['columns'] {
  return COLUMNS[row].flatMap((name, index) => {
    const ours = stored[index] ?? null
    const theirs = chain[index] ?? null
    return ours === theirs ? [] : [{ name, stored: ours, chain: theirs }]
  })
}

function comparePlaces(a: StoredRow, b: StoredRow): number {
  return a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.position - b.position
}

function describe(
  row: ComparedRow,
  kind: StoredDifference['kind'],
  { blockNumber, transactionIndex, position, values }: StoredRow,
  columns: StoredDifference['columns'],
): StoredDifference {
  const txHash = values[COLUMNS[row].indexOf('tx_hash')] ?? ''
  return { row, kind, blockNumber, transactionIndex, position, txHash, columns }
}

interface CoverageDifference {
  kind: 'coverage'
  blockNumber: number
  columns: { name: string; stored: string; chain: string }[]
}

interface CreationDifference {
  kind: 'creation'
  blockNumber: number
  columns: { name: string; stored: string; chain: string }[]
}

export type RowDifference = StoredDifference | CoverageDifference | CreationDifference

/** Returns a difference for each block of a creation that is stored differently, in the order of the pools. */
function compareCreations(stored: readonly PoolCreation[], chain: readonly PoolCreation[]): CreationDifference[] {
  const [ours, theirs] = [stored, chain].map((creations) => new Map(creations.map((made) => [made.pool, made])))
  return [...new Set([...stored, ...chain].map(({ pool }) => pool))].sort().flatMap((pool) => {
    const [our, their] = [ours?.get(pool), theirs?.get(pool)]
    const columns = [{ name: `creation of ${pool}`, stored: creationText(our), chain: creationText(their) }]
    if (columns[0]?.stored === columns[0]?.chain) return []
    const blocks = new Set([our, their].flatMap((creation) => creation?.blockNumber ?? []))
    return [...blocks].map((blockNumber) => ({ kind: 'creation' as const, blockNumber, columns }))
  })
}

function creationText(creation: PoolCreation | undefined): string {
  if (creation === undefined) return 'nothing'
  const { blockNumber, timestamp, transactionIndex, txHash, creator } = creation
  return `block ${blockNumber} (${isoOf(timestamp)}), transaction ${transactionIndex} (${txHash}) of ${creator}`
}

export interface CheckedPart extends BlockRange {
  trades: number
  differences: RowDifference[]
  /** `unsettled` means that the nodes contradict each other, so nothing was changed. */
  outcome: 'equal' | 'differs' | 'repaired' | 'unsettled'
  pools: Address[]
  events: readonly BlockEvents[]
  /** Set if reference prices proved wrong: the first block whose rows were compared with them. */
  recheckFrom?: number | undefined
}

export interface PartChecker {
  check(range: BlockRange, repair: boolean, signal: AbortSignal): AsyncGenerator<CheckedPart, void>
}

interface CheckedStore extends DayCounters {
  storedTrades(range: BlockRange): Promise<StoredRow[]>
  creationsIn(range: BlockRange): Promise<PoolCreation[]>
  storedLiquidity(range: BlockRange): Promise<StoredRow[]>
  poolsOfTrades(range: BlockRange): Promise<Address[]>
  coveredRanges(): Promise<CoveredRange[]>
  keptSince(): Promise<number | null>
  replaceRange: IndexerStore['replaceRange']
}

interface CheckerDependencies {
  chain: RangeSource
  store: CheckedStore
  known: PoolCache
  processor: BlockProcessor
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
  freshBookBefore: FreshBookBefore
  log: IndexerLog
  /** Whether the rows come from following the head. If so, a pool whose events were missing also has a wrong state. */
  atHead?: boolean
}

interface Reading {
  blocks: readonly Block[]
  trades: readonly PricedTrade[]
  creations: readonly PoolCreation[]
  moves: readonly PricedMove[]
  events: readonly BlockEvents[]
  book: ReferenceBook
}

/**
 * Compares rows of final, covered blocks with the chain and repairs them, with the indexer's own code and another
 * endpoint if possible. Reads differing blocks and prices once more, because a node that leaves out a log must not
 * remove or revalue a correct row.
 */
export class RangeChecker implements PartChecker {
  readonly #deps: CheckerDependencies
  #position: { next: number; book: ReferenceBook; since: number } | null = null

  constructor(dependencies: CheckerDependencies) {
    this.#deps = dependencies
  }

  /** Yields one part per response, to bound memory. */
  async *check(range: BlockRange, repair: boolean, signal: AbortSignal): AsyncGenerator<CheckedPart, void> {
    const { chain } = this.#deps
    const other = { readRange: (from: number, to: number) => chain.readRange(from, to, { secondOpinion: true }) }
    for await (const part of readAhead(other, range, async (read) => read)) {
      signal.throwIfAborted()
      yield await this.#checkPart(part, repair)
    }
  }

  async #checkPart(part: RangePart, repair: boolean): Promise<CheckedPart> {
    const { log } = this.#deps
    const { book: before, since } = await this.#bookBefore(part)
    const first = await this.#read(part.blocks, before)
    const result = { from: part.from, to: part.to, trades: first.trades.length, pools: [] }
    if ((await this.#compare(part, first)).length === 0) {
      this.#position = { next: part.to + 1, book: first.book, since }
      return { ...result, differences: [], outcome: 'equal', events: first.events }
    }
    const again = (await readParts(this.#deps.chain, part)).flatMap(({ blocks }) => blocks)
    const otherBook = await this.#deps.freshBookBefore(startOf(part), { secondOpinion: true })
    const second = await this.#read(again, otherBook)
    const differences = await this.#compare(part, second)
    const isSettled = areEqual(first, second)
    if (!isSettled) log.warn({ from: part.from, to: part.to }, 'nodes contradict each other about final blocks')
    const { events } = second
    const areBooksEqual = isSettled || areEqual(first, await this.#read(part.blocks, otherBook))
    const recheckFrom = areBooksEqual || since === part.from ? undefined : since
    if (differences.length > 0 && !isSettled) {
      return { ...result, differences, outcome: 'unsettled', events, recheckFrom }
    }
    this.#position = { next: part.to + 1, book: second.book, since: areBooksEqual ? since : part.from }
    if (differences.length === 0) return { ...result, differences, outcome: 'equal', events, recheckFrom }
    const pools = await this.#poolsOf(
      second,
      differences.filter(({ kind }) => kind !== 'creation'),
    )
    if (!repair) return { ...result, differences, pools, outcome: 'differs', events }
    await this.#repair(second, differences, pools)
    return { ...result, differences, pools, outcome: 'repaired', events }
  }

  /** Returns the pools whose states may lack an event, too. */
  async #poolsOf(reading: Reading, differences: readonly RowDifference[]): Promise<Address[]> {
    if (differences.length === 0) return []
    const span = spanOf(differences)
    // Only the stored row names the pool of an invented swap.
    return [...new Set([...poolsIn(reading, span), ...(await this.#deps.store.poolsOfTrades(span))])]
  }

  async #bookBefore(part: RangePart): Promise<{ book: ReferenceBook; since: number }> {
    const position = this.#position
    this.#position = null
    if (position?.next === part.from) return position
    return { book: await this.#deps.bookBefore(startOf(part)), since: part.from }
  }

  async #read(blocks: readonly Block[], before: ReferenceBook): Promise<Reading> {
    const book = before.copy()
    const { processor } = this.#deps
    const { trades, moves, creations, events } = await processor.process(blocks, book, 'latest', {
      recheckDenied: true,
    })
    return { blocks, trades, moves, creations: firstOfEach(creations), events, book }
  }

  async #compare(range: BlockRange, { trades, moves, creations, blocks }: Reading): Promise<RowDifference[]> {
    const { store } = this.#deps
    const keptBefore = await store.keptSince()
    const stored = await store.storedTrades(range)
    const storedMoves = await store.storedLiquidity(range)
    // Rows dropped meanwhile must not count as missing, nor those of a day restored meanwhile.
    const since = Math.max(keptBefore ?? 0, (await store.keptSince()) ?? 0)
    const kept = new Date(since * SECOND).toISOString()
    const isKept = ({ values: [blockTime] }: StoredRow) => (blockTime ?? '') >= kept
    return [
      ...compareRows('trade', stored.filter(isKept), trades.map(asStoredTrade).filter(isKept)),
      ...compareRows('liquidity', storedMoves.filter(isKept), moves.map(asStoredLiquidity).filter(isKept)),
      ...compareCreations(await store.creationsIn(range), creations),
      ...(await this.#compareCoverage(blocks)),
    ]
  }

  async #compareCoverage(blocks: readonly Block[]): Promise<CoverageDifference[]> {
    const times = new Map(blocks.map(({ number, timestamp }) => [number, timestamp]))
    const difference = (name: string, blockNumber: number, stored: number): CoverageDifference[] => {
      const chain = times.get(blockNumber) ?? stored
      if (chain === stored) return []
      return [{ kind: 'coverage', blockNumber, columns: [{ name, stored: isoOf(stored), chain: isoOf(chain) }] }]
    }
    const ranges = await this.#deps.store.coveredRanges()
    return ranges.flatMap(({ from, to, fromTime, toTime }) => [
      ...difference('from_time', from, fromTime),
      ...difference('to_time', to, toTime),
    ])
  }

  async #repair(reading: Reading, differences: readonly RowDifference[], moved: readonly Address[]): Promise<void> {
    const { store, known, atHead = false } = this.#deps
    const { from, to } = spanOf(differences)
    const isEnd = ({ number }: Block) =>
      differences.some(({ kind, blockNumber }) => kind === 'coverage' && blockNumber === number)
    const isWithin = ({ blockNumber }: { blockNumber: number }) => blockNumber >= from && blockNumber <= to
    const rows = {
      from,
      to,
      trades: reading.trades.filter(isWithin),
      moves: reading.moves.filter(isWithin),
      creations: reading.creations.filter(isWithin),
      times: new Map(reading.blocks.filter(isEnd).map(({ number, timestamp }) => [number, timestamp])),
      // Invalidate now: once the rows are repaired, no later check would flag these pools.
      invalidated: atHead ? moved.filter((pool) => known.keepsState(pool)) : [],
    }
    await known.saveWith(poolsIn(reading, { from, to }), rows, async (replacement) => {
      await withRightCounters(store, { from, to }, () => store.replaceRange(replacement))
    })
  }
}

function startOf({ blocks, from }: RangePart): BlockPoint {
  return { number: from, timestamp: present(blocks[0]).timestamp }
}

function areEqual(first: Reading, second: Reading): boolean {
  return (
    compareRows('trade', first.trades.map(asStoredTrade), second.trades.map(asStoredTrade)).length === 0 &&
    compareRows('liquidity', first.moves.map(asStoredLiquidity), second.moves.map(asStoredLiquidity)).length === 0 &&
    compareCreations(first.creations, second.creations).length === 0
  )
}

function firstOfEach(creations: readonly PoolCreation[]): PoolCreation[] {
  const first = new Map<Address, PoolCreation>()
  for (const creation of creations) if (!first.has(creation.pool)) first.set(creation.pool, creation)
  return [...first.values()]
}

function spanOf(differences: readonly RowDifference[]): BlockRange {
  const numbers = differences.map(({ blockNumber }) => blockNumber)
  return { from: Math.min(...numbers), to: Math.max(...numbers) }
}

function poolsIn({ events }: Reading, { from, to }: BlockRange): Address[] {
  return [...poolsOf(events.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to))]
}

function isoOf(seconds: number): string {
  return new Date(seconds * SECOND).toISOString()
}
