import type { Chain } from '@dexfeed/chain'
import type { ReferenceBook } from '@dexfeed/dex'
import type { IndexerStore, RangeCommit } from '@dexfeed/store'
import type { IndexerLog } from './indexer-log.ts'
import { type BlockRange, missingRanges } from './missing-ranges.ts'
import type { PoolRegistry } from './pool-registry.ts'
import type { BlockProcessor } from './process-blocks.ts'

/** Rows of one transaction to aim at: large enough to be fast, small enough to be little work lost. */
const TARGET_TRADES = 20_000
const FIRST_CHUNK = 500
const MIN_CHUNK = 1
const MAX_CHUNK = 20_000

export interface FillerDependencies {
  chain: Pick<Chain, 'readRange'>
  store: Pick<IndexerStore, 'commit' | 'coveredRanges'>
  registry: PoolRegistry
  processor: BlockProcessor
  bookBefore(block: { number: number; timestamp: number }): Promise<ReferenceBook>
  log: IndexerLog
  committed(commit: RangeCommit): void
}

/** Covers what is missing of a range of final blocks, newest first, a chunk a step. Writes rows, never pool state. */
export class Filler {
  readonly #with: FillerDependencies
  readonly #wanted: BlockRange
  #chunk = FIRST_CHUNK

  constructor(dependencies: FillerDependencies, wanted: BlockRange) {
    this.#with = dependencies
    this.#wanted = wanted
  }

  /**
   * Covers one chunk.
   *
   * @returns whether anything is still missing
   */
  async step(): Promise<boolean> {
    const missing = missingRanges(this.#wanted, await this.#with.store.coveredRanges())
    const newest = missing.at(-1)
    if (newest === undefined) return false
    await this.#cover(Math.max(newest.from, newest.to - this.#chunk + 1), newest.to)
    return true
  }

  async #cover(from: number, to: number): Promise<void> {
    const { chain, store, registry, processor, bookBefore, log, committed } = this.#with
    const { blocks } = await chain.readRange(from, to)
    const [first, last] = [blocks[0], blocks.at(-1)]
    if (first === undefined || last === undefined) throw new Error(`range ${from}-${to} came back without its ends`)
    const book = await bookBefore(first)
    const { trades, events } = await processor.process(blocks, book, 'latest')
    const unsaved = registry.unsaved(events.flatMap((block) => block.events.map(({ pool }) => pool)))
    const range = { from: first.number, to: last.number, fromTime: first.timestamp, toTime: last.timestamp }
    const commit: RangeCommit = { ...range, trades, ...unsaved, live: null }
    await store.commit(commit)
    registry.markSaved(unsaved)
    committed(commit)
    log.debug({ from: range.from, to: range.to, trades: trades.length }, 'covered')
    this.#adapt(last.number - first.number + 1, trades.length)
  }

  /** Sizes the next chunk so that it brings about as many rows as one transaction should hold. */
  #adapt(blocks: number, trades: number): void {
    const fitting = trades === 0 ? MAX_CHUNK : Math.floor((blocks * TARGET_TRADES) / trades)
    this.#chunk = Math.max(MIN_CHUNK, Math.min(MAX_CHUNK, fitting, this.#chunk * 2))
  }
}
