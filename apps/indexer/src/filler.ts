import type { IndexerStore } from '@dexfeed/store'
import { type CoverRangeDependencies, coverRange } from './cover-range.ts'
import type { IndexerLog } from './indexer-log.ts'
import { type BlockRange, missingRanges } from './missing-ranges.ts'

/** Trades of one step to aim at: some seconds of work, in several transactions. */
const TARGET_TRADES = 100_000
const FIRST_CHUNK = 500
const MIN_CHUNK = 1
const MAX_CHUNK = 20_000

export interface FillerDependencies extends CoverRangeDependencies {
  store: Pick<IndexerStore, 'commit' | 'coveredRanges'>
  log: IndexerLog
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
    const range = { from: Math.max(newest.from, newest.to - this.#chunk + 1), to: newest.to }
    const trades = await coverRange(this.#with, range)
    this.#with.log.debug({ ...range, trades }, 'covered')
    this.#adapt(range.to - range.from + 1, trades)
    return true
  }

  /** Sizes the next chunk so that it brings about as many rows as a step should. */
  #adapt(blocks: number, trades: number): void {
    const fitting = trades === 0 ? MAX_CHUNK : Math.floor((blocks * TARGET_TRADES) / trades)
    this.#chunk = Math.max(MIN_CHUNK, Math.min(MAX_CHUNK, fitting, this.#chunk * 2))
  }
}
