import { type Block, SECOND } from '@dexfeed/dex'
import type { ChainLog } from '../../../chain-log.ts'
import type { Clock } from '../../../clock.ts'
import type { Endpoint } from '../../../endpoints/endpoint.ts'
import type { EndpointPool } from '../../../endpoints/endpoint-pool.ts'
import type { Session } from '../../../endpoints/session.ts'
import { ChainError, ProofFailed } from '../../../errors/chain-error.ts'
import { blockRequest } from '../../../json-rpc/requests.ts'
import { readObject } from '../../../json-rpc/rpc-value.ts'
import { expectBlock } from '../../fetch-blocks.ts'
import {
  type JudgedTransactions,
  type Judgement,
  judgeTransactions,
  type ShownBody,
  shownOtherwise,
} from './judge-transactions.ts'
import type { ReceiptsOptions } from './read-receipts.ts'

export interface TransactionSampleOptions extends ReceiptsOptions {
  log: ChainLog
  clock: Clock
  closed: AbortSignal
  /** Of so many blocks with transactions that count, those of one are looked at: a question more. */
  every: number
  /** Is called when a block that was given already turns out to be false, with the last one that was given by then. */
  onDisproved: (block: number) => void
}

/** So many blocks of whoever told one falsely are looked at, each. */
const DOUBTED_BLOCKS = 50
/** A block of the head is asked for at others once they may have it, too. */
const HEAD_WAIT_MS = 30 * SECOND
/** So many of a block's senders are recovered from their signatures, which takes a millisecond each. */
const SENDERS = 4

/** A block as an endpoint shows it when it is asked again. */
interface Again extends ShownBody {
  /** The first transaction that it shows otherwise than told. */
  differing: number | undefined
  judge: (of: JudgedTransactions) => Promise<Judgement>
}

/**
 * Holds hash, sender and value of transactions, which the root of the receipts does not cover, against what an endpoint
 * of another host tells of a block now and then. Where two differ a transaction's own fields decide, and with one endpoint
 * alone: they make its hash, its signature the sender, and the header commits to them. Whoever is wrong is set aside.
 */
export class TransactionSample {
  readonly #pool: EndpointPool
  readonly #options: TransactionSampleOptions
  /** Blocks until the next one is due. */
  #left: number
  /** Blocks that were told falsely: whoever tells them next is looked at, too. */
  readonly #suspect = new Set<number>()
  /** The last block that was given before it was looked at. */
  #given = -1

  constructor(pool: EndpointPool, options: TransactionSampleOptions) {
    this.#pool = pool
    this.#options = options
    this.#left = Math.floor(options.clock.random() * options.every)
  }

  /** @throws ProofFailed where transactions are not as the endpoint told them */
  async check({ endpoint }: Session, blocks: readonly Block[]): Promise<void> {
    for (const block of this.#due(endpoint, blocks)) {
      this.#suspect.add(block.number)
      await this.#check(endpoint, block)
      this.#suspect.delete(block.number)
    }
  }

  /** The same beside whoever goes on with the blocks. */
  checkLater({ endpoint }: Session, blocks: readonly Block[]): void {
    this.#given = Math.max(this.#given, blocks.at(-1)?.number ?? -1)
    for (const block of this.#due(endpoint, blocks)) void this.#checkLater(endpoint, block)
  }

  #due(endpoint: Endpoint, blocks: readonly Block[]): Block[] {
    return blocks.filter(({ number, transactions }) => {
      if (transactions.size === 0) return false
      if (this.#suspect.has(number)) return true
      if (endpoint.doubtedBlocks > 0) return endpoint.doubtedBlocks-- > 0
      if (this.#left-- > 0) return false
      this.#left = this.#options.every - 1
      return true
    })
  }

  async #checkLater(endpoint: Endpoint, block: Block): Promise<void> {
    const { clock, closed, log } = this.#options
    try {
      await clock.sleep(HEAD_WAIT_MS, closed)
      if (!closed.aborted) await this.#check(endpoint, block)
    } catch (error) {
      if (error instanceof ProofFailed) {
        await this.#setAside(endpoint, error)
        this.#options.onDisproved(this.#given)
      } else if (!(error instanceof ChainError)) log.error({ err: error }, 'transactions could not be compared')
    }
  }

  async #check(endpoint: Endpoint, block: Block): Promise<void> {
    const { clock } = this.#options
    const others = this.#pool.witnessesOf(endpoint)
    for (const other of others.filter((one) => one.readyAt('bulk') <= clock.now())) {
      const again = await this.#again(other, block)
      if (again === null) continue
      const { differing: index } = again
      if (index === undefined) return
      const wrong = await this.#wrongAbout(index, block, endpoint, again)
      if (wrong === 'reporter') throw falseBlock(endpoint, block, index)
      if (wrong === 'other') await this.#setAside(other, falseBlock(other, block, index))
      else this.#logContradiction(endpoint, other, block, index)
    }
    await this.#checkAlone(endpoint, block)
  }

  /** Who is wrong about a transaction that two endpoints show otherwise; null where it cannot be told. */
  async #wrongAbout(
    index: number,
    block: Block,
    reporter: Endpoint,
    byOther: Again,
  ): Promise<'reporter' | 'other' | null> {
    const hash = block.transactions.get(index)?.hash ?? '0x'
    const isListed = byOther.block.isAt(index, hash)
    const others = await byOther.judge({ indices: [index], isListed, isWhole: false })
    if (others === 'proven') return 'reporter'
    if (others === 'false') return 'other'
    const byReporter = await this.#again(reporter, block)
    if (byReporter === null) return null
    if (byReporter.differing !== undefined) return 'reporter'
    const own = await byReporter.judge({ indices: [index], isListed, isWhole: block.isProven === true })
    if (own === 'unknown') return null
    return own === 'proven' ? 'other' : 'reporter'
  }

  async #checkAlone(endpoint: Endpoint, block: Block): Promise<void> {
    const { clock } = this.#options
    const again = await this.#again(endpoint, block)
    if (again === null) return
    if (again.differing !== undefined) throw falseBlock(endpoint, block, again.differing)
    const signed = [...block.transactions].flatMap(([at, { from }]) => (from === null ? [] : [at]))
    const first = Math.floor(clock.random() * signed.length)
    const indices = [...signed.slice(first), ...signed.slice(0, first)].slice(0, SENDERS)
    const judgement = await again.judge({ indices, isListed: false, isWhole: block.isProven === true })
    if (judgement === 'false') throw falseBlock(endpoint, block, indices[0] ?? 0)
  }

  /** Null where the endpoint does not show the block now, or has another one in its place. */
  async #again(endpoint: Endpoint, reported: Block): Promise<Again | null> {
    const { number, hash } = reported
    const { logsWithoutTransaction } = this.#options
    const prover = await this.#options.prover()
    try {
      return await this.#pool.once(endpoint, 'bulk', async (session) => {
        const { results } = await session.request([blockRequest(number)])
        const block = expectBlock(session, number, results[0])
        const shown = { header: readObject(results[0], 'block'), block }
        const options = { prover, logsWithoutTransaction, yieldTurn: session.yieldTurn }
        // What cannot be read proves nothing.
        const judge: Again['judge'] = (of) => judgeTransactions(shown, of, options).catch(unreadable)
        if (block.header.hash !== hash) return null
        // Here, where what cannot be read is this endpoint's fault.
        return { ...shown, judge, differing: shownOtherwise(reported, shown, logsWithoutTransaction) }
      })
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      this.#options.log.debug({ endpoint: endpoint.masked, block: number, err: error }, 'no transactions to compare')
      return null
    }
  }

  async #setAside(endpoint: Endpoint, error: ProofFailed): Promise<void> {
    await this.#pool.once(endpoint, 'live', () => Promise.reject(error)).catch(() => undefined)
  }

  #logContradiction(endpoint: Endpoint, other: Endpoint, { number, transactions }: Block, index: number): void {
    const fields = {
      endpoints: [endpoint.masked, other.masked],
      block: number,
      transaction: transactions.get(index)?.hash,
    }
    this.#options.log.error(fields, 'endpoints contradict each other about a transaction, and nothing decides')
  }
}

function falseBlock(endpoint: Endpoint, { number, transactions }: Block, index: number): ProofFailed {
  const what = `hash, sender or value of transaction ${transactions.get(index)?.hash} are not those of its fields`
  endpoint.doubtedBlocks = DOUBTED_BLOCKS
  return new ProofFailed({ endpoint: endpoint.masked, block: number, what })
}

function unreadable(error: unknown): Judgement {
  if (!(error instanceof ChainError)) throw error
  return 'unknown'
}
