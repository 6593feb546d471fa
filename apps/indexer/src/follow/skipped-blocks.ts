import {
  type Block,
  type BlockHeader,
  type CoveredRange,
  type Hex,
  type PoolAddress,
  type ReferenceBook,
  SECOND,
} from '@dexfeed/dex'
import {
  BlockNotStored,
  type IndexerStore,
  LeaseLost,
  type NetworkRow,
  RangeAlreadyCovered,
  type SkippedCommit,
} from '@dexfeed/store'
import { type BlockProcessor, poolsOf, type SkippedBlock } from '../blocks/process-blocks.ts'
import type { IndexerLog } from '../loops/loop.ts'
import type { PoolCache } from '../pools/pool-cache.ts'

/** Maximum blocks in one step. Small, so that the head does not wait. */
const MAX_PER_STEP = 8
const PAUSE_MS = 5 * SECOND

export interface SkippedBlocksDependencies {
  chain: { readBlocks(from: number, to: number): Promise<Block[]> }
  store: Pick<IndexerStore, 'commitSkipped'>
  known: PoolCache
  processor: Pick<BlockProcessor, 'process'>
  /** Whether a pool can be verified now, because it or its key became known. */
  canProve(pool: PoolAddress): boolean
  epoch: number
  log: IndexerLog
  onCommit(commit: SkippedCommit): void
}

/** A skipped block with its stored hash. `pools` is empty after a restart, because they are not stored. */
interface WaitingBlock extends SkippedBlock {
  hash: Hex
}

/**
 * Blocks that the follower committed without rows, because keys of pools were unknown, and that may still be orphaned.
 * Each is indexed in its own transaction as soon as its keys are known. The list follows from the database, so a
 * restart forgets none. A block that becomes final meanwhile is left to history.
 */
export class SkippedBlocks {
  readonly #deps: SkippedBlocksDependencies
  #waiting: WaitingBlock[] = []
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(dependencies: SkippedBlocksDependencies) {
    this.#deps = dependencies
  }

  /** Rebuilds the list: blocks that are stored but not covered. */
  restart(
    stored: readonly BlockHeader[],
    covered: readonly CoveredRange[],
    network: Pick<NetworkRow, 'finalNumber' | 'start'> | null,
  ): void {
    const { finalNumber, start } = network ?? { finalNumber: null, start: null }
    const first = Math.max((finalNumber ?? -1) + 1, start?.number ?? Number.NEGATIVE_INFINITY)
    this.#waiting = stored
      .filter(({ number }) => number >= first && !covered.some(({ from, to }) => from <= number && number <= to))
      .map(({ number, hash }) => ({ number, hash, pools: [] }))
  }

  note(blocks: readonly BlockHeader[], skipped: readonly SkippedBlock[], finalNumber: number): void {
    const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]))
    const noted = skipped.flatMap(({ number, pools }) => {
      const hash = hashes.get(number)
      return hash === undefined ? [] : [{ number, hash, pools }]
    })
    this.#waiting = [...this.#waiting, ...noted].filter(({ number }) => number > finalNumber)
  }

  /** Returns whether there are blocks whose keys are all known. */
  isDue(): boolean {
    return performance.now() >= this.#pausedUntil && this.#due().length > 0
  }

  /**
   * Indexes the blocks whose keys are known. After a failure it pauses; the head continues. `bookBefore` returns the
   * reference prices before a block; null if the block is final. @throws LeaseLost
   */
  async cover(bookBefore: (number: number) => Promise<ReferenceBook | null>): Promise<void> {
    if (!this.isDue()) return
    for (const block of this.#due().slice(0, MAX_PER_STEP)) {
      try {
        await this.#cover(block, bookBefore)
      } catch (error) {
        if (error instanceof LeaseLost) throw error
        this.#deps.log.warn({ err: error, block: block.number }, 'could not index a skipped block, trying again')
        this.#pausedUntil = performance.now() + PAUSE_MS
        return
      }
    }
  }

  #due(): WaitingBlock[] {
    return this.#waiting.filter(({ pools }) => pools.every((pool) => this.#deps.canProve(pool)))
  }

  async #cover(waiting: WaitingBlock, bookBefore: (number: number) => Promise<ReferenceBook | null>): Promise<void> {
    const { chain, processor, log } = this.#deps
    const { number, hash } = waiting
    const [block] = await chain.readBlocks(number, number)
    // Orphaned meanwhile. The follower notices that, too, and resumes on the other branch.
    const book = block?.hash === hash ? await bookBefore(number) : null
    if (block === undefined || book === null) return this.#forget(waiting)
    // The state of the block itself may be pruned by now.
    const { trades, events, skipped, denied } = await processor.process([block], book, 'latest', { deferKeys: true })
    this.#forget(waiting)
    if (skipped.length > 0) {
      this.#waiting.push(...skipped.map((skippedBlock) => ({ ...skippedBlock, hash })))
      return
    }
    try {
      await this.#commit(block, { trades, denied, pools: poolsOf(events) })
      log.info({ block: number, trades: trades.length }, 'indexed a skipped block: its pool keys are known now')
    } catch (error) {
      // Already covered by a commit whose response was lost, or by history; or the block is orphaned.
      if (error instanceof RangeAlreadyCovered || error instanceof BlockNotStored) return
      this.#waiting.push(waiting)
      throw error
    }
  }

  async #commit(
    { number, hash, timestamp, isProven = false }: Block,
    { pools, ...made }: Pick<SkippedCommit, 'trades' | 'denied'> & { pools: Set<PoolAddress> },
  ): Promise<void> {
    const { known, store, epoch, onCommit } = this.#deps
    const range = { from: number, to: number, fromTime: timestamp, toTime: timestamp }
    const rows = { ...range, ...made, skipped: { epoch, hash, isProven } }
    onCommit(await known.saveWith(pools, rows, (whole) => store.commitSkipped(whole)))
  }

  #forget(waiting: WaitingBlock): void {
    this.#waiting = this.#waiting.filter((waitingBlock) => waitingBlock !== waiting)
  }
}
