import {
  type Block,
  type BlockHeader,
  type CoveredRange,
  type Hex,
  type PoolAddress,
  type ReferenceBook,
  SECOND,
} from '@dexfeed/dex'
import { BlockNotStored, LeaseLost, RangeAlreadyCovered, type SkippedCommit } from '@dexfeed/store'
import type { NetworkAlerts } from '../alerts/alerts.ts'
import {
  type BlockEvents,
  type BlockProcessor,
  type Processed,
  poolsOf,
  type SkippedBlock,
} from '../blocks/process-blocks.ts'
import type { IndexerLog } from '../loops/loop.ts'
import type { PoolCache } from '../pools/pool-cache.ts'

/** Small, so that the head does not wait. */
const MAX_PER_STEP = 8
const PAUSE_MS = 5 * SECOND

export interface PoolProof {
  canProve(pool: PoolAddress): boolean
}

export interface SkippedBlocksDependencies {
  chain: { readBlocks(from: number, to: number): Promise<Block[]> }
  store: { commitSkipped(commit: SkippedCommit): Promise<void> }
  known: PoolCache
  registry: PoolProof
  processor: { process: BlockProcessor['process'] }
  epoch: number
  log: IndexerLog
  alerts?: NetworkAlerts | undefined
  onCommit(commit: SkippedCommit, events: readonly BlockEvents[]): void
}

interface WaitingBlock extends SkippedBlock {
  hash: Hex
}

/**
 * Holds blocks committed without rows, because pool keys were unknown. Each gets its rows in its own transaction once
 * its keys are known. Final blocks are left to history.
 */
export class SkippedBlocks {
  readonly #deps: SkippedBlocksDependencies
  #waiting: WaitingBlock[] = []
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(dependencies: SkippedBlocksDependencies) {
    this.#deps = dependencies
  }

  /** Rebuilds the list from blocks that are stored but not covered. */
  restart(
    stored: readonly BlockHeader[],
    covered: readonly CoveredRange[],
    network: { finalNumber: number | null; start: { number: number } | null } | null,
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

  isDue(): boolean {
    return performance.now() >= this.#pausedUntil && this.#due().length > 0
  }

  /** A failure pauses this work, not the head. `bookBefore` returns null if the block is final. @throws LeaseLost */
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
    return this.#waiting.filter(({ pools }) => pools.every((pool) => this.#deps.registry.canProve(pool)))
  }

  async #cover(waiting: WaitingBlock, bookBefore: (number: number) => Promise<ReferenceBook | null>): Promise<void> {
    const { chain, processor, log } = this.#deps
    const { number, hash } = waiting
    const [block] = await chain.readBlocks(number, number)
    // Another hash means that the block is orphaned, which the follower notices, too.
    const book = block?.hash === hash ? await bookBefore(number) : null
    if (block === undefined || book === null) return this.#forget(waiting)
    // Nodes may have pruned this block's own state, so contracts are called at the latest block.
    const processed = await processor.process([block], book, 'latest', { deferKeys: true })
    this.#forget(waiting)
    if (processed.skipped.length > 0) {
      this.#waiting.push(...processed.skipped.map((skippedBlock) => ({ ...skippedBlock, hash })))
      return
    }
    try {
      await this.#commit(block, processed)
      const trades = processed.trades.length
      log.info({ block: number, trades }, 'indexed a skipped block: its pool keys are known now')
    } catch (error) {
      // The block is already covered, by history or by a commit whose response was lost, or it is orphaned.
      if (error instanceof RangeAlreadyCovered || error instanceof BlockNotStored) return
      this.#waiting.push(waiting)
      throw error
    }
  }

  async #commit(block: Block, { trades, moves, creations, denied, events }: Processed): Promise<void> {
    const { known, store, epoch, alerts, onCommit } = this.#deps
    const { number, hash, timestamp, isProven = false } = block
    const range = { from: number, to: number, fromTime: timestamp, toTime: timestamp }
    const judge = alerts?.judge({ blocks: [block], trades, moves, states: [], head: null, rollback: null }) ?? null
    const rows = { ...range, trades, moves, creations, denied, skipped: { epoch, hash, isProven }, judge }
    onCommit(await known.saveWith(poolsOf(events), rows, (whole) => store.commitSkipped(whole)), events)
  }

  #forget(waiting: WaitingBlock): void {
    this.#waiting = this.#waiting.filter((waitingBlock) => waitingBlock !== waiting)
  }
}
