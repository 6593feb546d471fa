import type { Chain } from '@dexfeed/chain'
import {
  type Address,
  type Block,
  type BlockPoint,
  type BlockRange,
  type PricedTrade,
  type ReferenceBook,
  SECOND,
} from '@dexfeed/dex'
import { asStoredTrade, type IndexerStore, type StoredTrade, StoreError } from '@dexfeed/store'
import { type BlockEvents, type BlockProcessor, poolsOf } from '../blocks/process-blocks.ts'
import { type RangePart, readAhead, readParts } from '../blocks/read-ahead.ts'
import type { IndexerLog } from '../loops/loop.ts'
import type { PoolCache } from '../pools/pool-cache.ts'
import { compareTrades, type TradeDifference } from './compare-trades.ts'

/** A covered range that begins or ends with a block that has another time on the chain. */
export interface CoverageDifference {
  kind: 'coverage'
  blockNumber: number
  columns: { name: string; stored: string; chain: string }[]
}

export type RowDifference = TradeDifference | CoverageDifference

/** The result of comparing a part of a range with the chain. */
export interface CheckedPart extends BlockRange {
  /** How many there are on the chain. */
  trades: number
  differences: RowDifference[]
  /** Unsettled: the nodes contradict each other, nothing was changed. */
  outcome: 'equal' | 'differs' | 'repaired' | 'unsettled'
  /** Pools that had events in the blocks that differ, or trades in their rows. */
  pools: Address[]
  /** What moves pool states in these blocks, by the last reading. */
  events: readonly BlockEvents[]
}

export interface CheckerDependencies {
  chain: Pick<Chain, 'readRange'>
  store: Pick<
    IndexerStore,
    'storedTrades' | 'poolsOfTrades' | 'coveredRanges' | 'keptSince' | 'replaceRange' | 'daysOf' | 'recountDay'
  >
  known: PoolCache
  processor: BlockProcessor
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
  log: IndexerLog
  /** Whether the rows that differ were made at the head, so that states of their pools are wrong too. */
  atHead?: boolean
}

/** What one reading of some blocks gave, and the reference prices after them. */
interface Reading {
  blocks: readonly Block[]
  trades: readonly PricedTrade[]
  events: readonly BlockEvents[]
  book: ReferenceBook
}

/**
 * Compares the rows of final, covered blocks with the chain, by the way of a block as indexing goes it, and repairs them.
 * Asks another endpoint than indexing does, where there is one. What differs is read once more before it is believed:
 * a node that omits a log now must not take a right row away. One range at a time.
 */
export class RangeChecker {
  readonly #deps: CheckerDependencies
  /** The reference prices before a block: ranges that follow each other need not look back again. */
  #position: { next: number; book: ReferenceBook } | null = null

  constructor(dependencies: CheckerDependencies) {
    this.#deps = dependencies
  }

  /** A range part by part, ascending, in memory as small as what one answer of the node holds. */
  async *check(range: BlockRange, repair: boolean, signal: AbortSignal): AsyncGenerator<CheckedPart, void> {
    const { chain } = this.#deps
    const other = { readRange: (from: number, to: number) => chain.readRange(from, to, { secondOpinion: true }) }
    for await (const part of readAhead(other, range, async (read) => read)) {
      signal.throwIfAborted()
      yield await this.#checkPart(part, repair)
    }
  }

  async #checkPart(part: RangePart, repair: boolean): Promise<CheckedPart> {
    const before = await this.#bookBefore(part)
    const first = await this.#read(part.blocks, before)
    const settle = (book: ReferenceBook) => {
      this.#position = { next: part.to + 1, book }
    }
    const result = { from: part.from, to: part.to, trades: first.trades.length, pools: [] }
    if ((await this.#compare(part, first)).length === 0) {
      settle(first.book)
      return { ...result, differences: [], outcome: 'equal', events: first.events }
    }
    const again = (await readParts(this.#deps.chain, part)).flatMap(({ blocks }) => blocks)
    const second = await this.#read(again, before)
    const differences = await this.#compare(part, second)
    const isSettled = compareTrades(first.trades.map(asStoredTrade), second.trades.map(asStoredTrade)).length === 0
    if (!isSettled) {
      this.#deps.log.warn({ from: part.from, to: part.to }, 'nodes contradict each other about final blocks')
    }
    settle(second.book)
    const { events } = second
    if (differences.length === 0) return { ...result, differences, outcome: 'equal', events }
    if (!isSettled) return { ...result, differences, outcome: 'unsettled', events }
    // A swap that was made up has moved a state, too: its pool shows in the row alone.
    const stored = await this.#deps.store.poolsOfTrades(spanOf(differences))
    const pools = [...new Set([...poolsIn(second, spanOf(differences)), ...stored])]
    if (!repair) return { ...result, differences, pools, outcome: 'differs', events }
    await this.#repair(second, differences, pools)
    return { ...result, differences, pools, outcome: 'repaired', events }
  }

  async #bookBefore({ blocks, from }: RangePart): Promise<ReferenceBook> {
    const position = this.#position
    this.#position = null
    if (position?.next === from) return position.book
    return this.#deps.bookBefore({ number: from, timestamp: blocks[0]?.timestamp ?? 0 })
  }

  async #read(blocks: readonly Block[], before: ReferenceBook): Promise<Reading> {
    const book = before.copy()
    const { trades, events } = await this.#deps.processor.process(blocks, book, 'latest', { recheckDenied: true })
    return { blocks, trades, events, book }
  }

  async #compare(range: BlockRange, { trades, blocks }: Reading): Promise<RowDifference[]> {
    const { store } = this.#deps
    const stored = await store.storedTrades(range)
    // Read after the rows: what is dropped meanwhile is not missing.
    const since = await store.keptSince()
    const kept = since === null ? '' : new Date(since * SECOND).toISOString()
    const isKept = ({ values: [blockTime] }: StoredTrade) => (blockTime ?? '') >= kept
    return [
      ...compareTrades(stored.filter(isKept), trades.map(asStoredTrade).filter(isKept)),
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
    const rows = {
      from,
      to,
      trades: reading.trades.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to),
      times: new Map(reading.blocks.filter(isEnd).map(({ number, timestamp }) => [number, timestamp])),
      // With the rows: whoever reads these blocks again finds nothing wrong in them.
      invalidated: atHead ? moved.filter((pool) => known.keepsState(pool)) : [],
    }
    await known.saveWith(poolsIn(reading, { from, to }), rows, async (replacement) => {
      await store.replaceRange(replacement).catch(async (error: unknown) => {
        if (error instanceof StoreError && error.retryable) throw error
        // Counters that do not go with their rows cannot be moved by them.
        for (const day of await store.daysOf({ from, to })) await store.recountDay(day)
        await store.replaceRange(replacement)
      })
    })
  }
}

/** The blocks from the first to the last that differs. */
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
