import { type Block, type BlockRange, MINUTE } from '@dexfeed/dex'
import type { ChainLog } from '../../chain-log.ts'
import type { Clock } from '../../clock.ts'
import { ChainError } from '../../errors/chain-error.ts'
import type { LogFilter } from '../../json-rpc/requests.ts'
import { LogMatcher } from '../../json-rpc/rpc-log.ts'
import { portalBlock, portalQuery } from './portal-block.ts'
import { type PortalLine, PortalLineReader } from './portal-line.ts'
import { ArchiveFailure, type PortalOptions, PortalStream } from './portal-stream.ts'

export interface ArchivedRange extends BlockRange {
  /** Every block of the range, linked by parent hash. */
  blocks: Block[]
}

/** Target number of logs in one part: memory until they are rows. */
const TARGET_LOGS = 16_000
const FIRST_BLOCKS = 100
const MOST_BLOCKS = 2_000
/** Bytes of lines that are read in one turn of bulk work: about as many as one response of a node has. */
const TURN_BYTES = 2 ** 20
const ATTEMPTS = 4
const FIRST_PAUSE_MS = 500
/** Longest pause. If the archive requests a longer one, the node is read meanwhile. */
const LONGEST_PAUSE_MS = MINUTE

/** Reads history from a Portal. Checks that blocks form one branch, but not whether logs are missing. */
export class Portal {
  readonly masked: string
  readonly #stream: PortalStream
  readonly #filter: LogFilter
  readonly #matcher: LogMatcher
  readonly #clock: Clock
  readonly #closed: AbortSignal
  readonly #log: ChainLog
  readonly #bulkTurn: () => Promise<void>
  readonly #turnBytes: number
  readonly #lines = new PortalLineReader()
  #size = FIRST_BLOCKS

  constructor(options: PortalOptions & { filter: LogFilter; log: ChainLog; bulkTurn: () => Promise<void> }) {
    this.#stream = new PortalStream(options)
    this.masked = this.#stream.masked
    this.#filter = options.filter
    this.#matcher = new LogMatcher(options.filter)
    this.#clock = options.clock
    this.#closed = options.closed
    this.#log = options.log
    this.#bulkTurn = options.bulkTurn
    this.#turnBytes = options.turnBytes ?? TURN_BYTES
  }

  /**
   * Returns blocks from `requested.from` on, as many as fit into one part. A response that ends early is continued by
   * the next. @throws ArchiveFailure, MalformedResponse
   */
  async readRange(requested: BlockRange): Promise<ArchivedRange> {
    const range = { from: requested.from, to: Math.min(requested.to, requested.from + this.#size - 1) }
    const blocks: Block[] = []
    for (let failures = 0; range.from + blocks.length <= range.to; ) {
      const before = blocks.length
      try {
        await this.#readOn(range, blocks)
        if (blocks.length === before) throw new ArchiveFailure(`${this.masked}: a response without a block`)
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        if (error instanceof ArchiveFailure && error.isLasting) throw error
        if (++failures === ATTEMPTS || this.#closed.aborted) throw error
        this.#log.debug({ archive: this.masked, err: error }, 'archive attempt failed')
        await this.#clock.sleep(this.#pauseAfter(error, failures), this.#closed)
      }
    }
    this.#resize(blocks)
    return { ...range, blocks }
  }

  #pauseAfter(error: ChainError, failures: number): number {
    const retryAfterMs = error instanceof ArchiveFailure ? error.retryAfterMs : null
    const own = FIRST_PAUSE_MS * 2 ** failures * (0.5 + this.#clock.random() / 2)
    return Math.min(retryAfterMs ?? own, LONGEST_PAUSE_MS)
  }

  close(): Promise<void> {
    return this.#stream.close()
  }

  async #readOn(range: BlockRange, blocks: Block[]): Promise<void> {
    const next = range.from + blocks.length
    let left = 0
    for await (const line of this.#stream.lines(
      portalQuery(this.#filter, { from: next, to: range.to }),
      this.#closed,
    )) {
      const block = portalBlock(this.#read(line), this.#matcher)
      const parent = blocks.at(-1)
      if (block.number !== range.from + blocks.length || block.number > range.to) {
        throw new ArchiveFailure(`${this.masked}: block ${block.number} in place of ${range.from + blocks.length}`)
      }
      if (parent !== undefined && block.parentHash !== parent.hash) {
        // Either branch may be wrong, so all blocks are read again.
        blocks.length = 0
        throw new ArchiveFailure(`${this.masked}: block ${block.number} does not build on block ${parent.number}`)
      }
      blocks.push(block)
      left -= line.length
      if (left > 0) continue
      await this.#bulkTurn()
      left = this.#turnBytes
    }
  }

  #read(line: string): PortalLine {
    try {
      return this.#lines.read(line)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new ArchiveFailure(`${this.masked}: a line that is not JSON`)
    }
  }

  #resize(blocks: readonly Block[]): void {
    const logs = blocks.reduce((sum, block) => sum + block.logs.length, 0)
    const fitting = Math.floor((TARGET_LOGS * blocks.length) / Math.max(1, logs))
    // Grow only from full parts: a short range shows nothing about the right size.
    this.#size = Math.max(1, Math.min(fitting, Math.max(this.#size, 2 * blocks.length), MOST_BLOCKS))
  }
}
