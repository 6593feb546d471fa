import { type Block, type BlockRange, logsByTransaction, MINUTE, type Transaction } from '@dexfeed/dex'
import type { ChainLog } from '../../chain-log.ts'
import { ChainError } from '../../errors/chain-error.ts'
import type { LogFilter } from '../../json-rpc/messages.ts'
import { readTransaction, STATE_SYNC } from '../../json-rpc/rpc-block.ts'
import { LogMatcher } from '../../json-rpc/rpc-log.ts'
import {
  MalformedResponse,
  type RpcObject,
  readArray,
  readHash,
  readObject,
  readWhole,
} from '../../json-rpc/rpc-value.ts'
import { type PortalLine, PortalLineReader } from './portal-line.ts'
import { ArchiveFailure, type PortalOptions, PortalStream } from './portal-stream.ts'

interface ArchiveOptions extends PortalOptions {
  filter: LogFilter
  log: ChainLog
  bulkTurn: () => Promise<void>
}

export interface ArchivedRange extends BlockRange {
  blocks: Block[]
}

/** Limited, because logs stay in memory until they become rows. */
const TARGET_LOGS = 16_000
const FIRST_BLOCKS = 100
const MAX_BLOCKS = 2_000
/** Characters to read per bulk turn, about the size of one node response. */
const TURN_CHARACTERS = 2 ** 20
const ATTEMPTS = 4
const FIRST_PAUSE_MS = 500
/** Longest pause, even if the archive requests a longer one: the node is read instead. */
const LONGEST_PAUSE_MS = MINUTE

/** Reads history from a Portal. Checks that the blocks form one branch, but not that their logs are complete. */
export class Portal {
  readonly masked: string
  readonly #options: ArchiveOptions
  readonly #stream: PortalStream
  readonly #matcher: LogMatcher
  readonly #lines = new PortalLineReader()
  #size = FIRST_BLOCKS

  constructor(options: ArchiveOptions) {
    this.#options = options
    this.#stream = new PortalStream(options)
    this.masked = this.#stream.masked
    this.#matcher = new LogMatcher(options.filter)
  }

  /** @throws ArchiveFailure, MalformedResponse */
  async readRange(requested: BlockRange): Promise<ArchivedRange> {
    const range = { from: requested.from, to: Math.min(requested.to, requested.from + this.#size - 1) }
    const { clock, closed, log } = this.#options
    const blocks: Block[] = []
    for (let failures = 0; range.from + blocks.length <= range.to; ) {
      const before = blocks.length
      try {
        await this.#readOn(range, blocks)
        if (blocks.length === before) throw new ArchiveFailure(`${this.masked}: a response without a block`)
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        if (error instanceof ArchiveFailure && error.isLasting) throw error
        if (++failures === ATTEMPTS || closed.aborted) throw error
        log.debug({ archive: this.masked, err: error }, 'archive attempt failed')
        const pause = FIRST_PAUSE_MS * 2 ** failures * (0.5 + clock.random() / 2)
        const retryAfterMs = error instanceof ArchiveFailure ? error.retryAfterMs : null
        await clock.sleep(Math.min(retryAfterMs ?? pause, LONGEST_PAUSE_MS), closed)
      }
    }
    this.#resize(blocks)
    return { ...range, blocks }
  }

  close(): Promise<void> {
    return this.#stream.close()
  }

  async #readOn(range: BlockRange, blocks: Block[]): Promise<void> {
    const query = portalQuery(this.#options.filter, { from: range.from + blocks.length, to: range.to })
    let left = 0
    for await (const line of this.#stream.lines(query)) {
      const block = portalBlock(this.#read(line), this.#matcher)
      const parent = blocks.at(-1)
      if (block.number !== range.from + blocks.length || block.number > range.to) {
        throw new ArchiveFailure(`${this.masked}: block ${block.number} in place of ${range.from + blocks.length}`)
      }
      if (parent !== undefined && block.parentHash !== parent.hash) {
        // Either block may be on the wrong branch, so start over.
        blocks.length = 0
        throw new ArchiveFailure(`${this.masked}: block ${block.number} does not build on block ${parent.number}`)
      }
      blocks.push(block)
      left -= line.length
      if (left > 0) continue
      await this.#options.bulkTurn()
      left = TURN_CHARACTERS
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
    // A short requested range must not lower the size.
    this.#size = Math.max(1, Math.min(fitting, Math.max(this.#size, 2 * blocks.length), MAX_BLOCKS))
  }
}

function portalQuery({ topics, emitters = [] }: LogFilter, { from, to }: BlockRange): object {
  return {
    type: 'evm',
    fromBlock: from,
    toBlock: to,
    includeAllBlocks: true,
    fields: {
      block: { number: true, hash: true, parentHash: true, timestamp: true },
      transaction: { transactionIndex: true, hash: true, from: true, value: true, type: true },
      log: { logIndex: true, transactionIndex: true, transactionHash: true, address: true, topics: true, data: true },
    },
    logs: [{ topic0: topics }, ...(emitters.length > 0 ? [{ address: emitters }] : [])].map((which) => {
      return { ...which, transaction: true, transactionLogs: true }
    }),
  }
}

function portalBlock({ header, transactions = [], logs }: PortalLine, matcher: LogMatcher): Block {
  const { number, hash, parentHash, timestamp } = readObject(header, 'header')
  const shown = new Map<number, RpcObject>()
  for (const raw of readArray(transactions, 'transactions')) {
    const transaction = readObject(raw, 'transaction')
    shown.set(readWhole(transaction.transactionIndex, 'transactionIndex'), transaction)
  }
  const all = logs.toSorted((a, b) => a.logIndex - b.logIndex)
  const selected = all.filter((log) => matcher.has(log))
  const receipts = logsByTransaction(all)
  const kept = new Map<number, Transaction>()
  selected.forEach(({ transactionIndex, logIndex, transactionHash }, i) => {
    if (selected[i - 1]?.logIndex === logIndex) throw new MalformedResponse({ field: 'log.logIndex', value: logIndex })
    const transaction = kept.get(transactionIndex) ?? transactionOf(shown.get(transactionIndex))
    if (transaction.hash !== transactionHash)
      throw new MalformedResponse({ field: 'log.transactionHash', value: transactionHash })
    kept.set(transactionIndex, transaction)
  })
  return {
    number: readWhole(number, 'header.number'),
    hash: readHash(hash, 'header.hash'),
    parentHash: readHash(parentHash, 'header.parentHash'),
    timestamp: readWhole(timestamp, 'header.timestamp'),
    logs: selected,
    transactions: kept,
    receipts: { logsOf: (transactionIndex) => receipts.get(transactionIndex) ?? null },
  }
}

function transactionOf(raw: RpcObject | undefined): Transaction {
  const transaction = readObject(raw, 'transaction of a log')
  const { hash, type, value } = transaction
  const isStateSync = Number(type ?? 0) === STATE_SYNC
  // Some archives write the value in decimal.
  const amount = typeof value === 'string' && /^\d+$/.test(value) ? `0x${BigInt(value).toString(16)}` : value
  return readTransaction(
    { ...transaction, type: isStateSync ? '0x7f' : undefined, value: amount },
    readHash(hash, 'transaction.hash'),
  )
}
