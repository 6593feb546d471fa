import { type Block, SECOND, type Transaction } from '@dexfeed/dex'
import type { ChainLog } from '../../../chain-log.ts'
import type { Clock } from '../../../clock.ts'
import type { Endpoint } from '../../../endpoints/endpoint.ts'
import type { EndpointPool, Session } from '../../../endpoints/endpoint-pool.ts'
import { ChainError, ProofFailed } from '../../../errors/chain-error.ts'
import { blockRequest } from '../../../json-rpc/messages.ts'
import type { FullBlock } from '../../../json-rpc/rpc-block.ts'
import { type RpcObject, readObject } from '../../../json-rpc/rpc-value.ts'
import { expectBlock } from '../../fetch-blocks.ts'
import type { BlockProver } from '../commitments/block-prover.ts'
import { type SignedTransaction, signedTransaction, TRANSACTIONS_PER_TURN } from '../commitments/signed-transaction.ts'
import type { ReceiptsOptions } from './reported-logs.ts'

interface ShownBody {
  header: RpcObject
  block: FullBlock
}

interface JudgeOptions {
  prover: BlockProver
  logsWithoutTransaction: boolean
  yieldTurn: () => Promise<void>
}

const MAX_TRIED = 32

interface JudgedTransactions {
  indices: readonly number[]
  /** Whether another endpoint lists the same hashes at these indices. Otherwise the header must prove them. */
  isListed: boolean
  /** Whether the body is known to be whole: some nodes keep only a part of it. */
  isWhole: boolean
}

type Judgement = 'proven' | 'false' | 'unknown'

function firstDifference(reported: Block, { block }: ShownBody, logsWithoutTransaction: boolean): number | undefined {
  for (const [index, transaction] of reported.transactions) {
    const shown = block.transaction(index, transaction.hash)
    // Nodes disagree about an unsigned transaction, or omit it.
    if (logsWithoutTransaction && isUnsigned(transaction) && isUnsigned(shown)) continue
    if (shown === null || !isSame(shown, transaction)) return index
  }
  return undefined
}

function isUnsigned(transaction: Transaction | null): boolean {
  return transaction === null || transaction.from === null
}

function isSame(transaction: Transaction, other: Transaction): boolean {
  return transaction.hash === other.hash && transaction.from === other.from && transaction.value === other.value
}

/**
 * Judges transactions by their own fields (Yellow Paper, 4.3): the encoding must match the hash, the signature the
 * sender, and all encodings the transactions root. Returns `unknown` if no transaction of the block matches its hash:
 * this version probably does not know the encoding.
 */
async function judgeTransactions(
  { header, block }: ShownBody,
  { indices, isListed, isWhole }: JudgedTransactions,
  { prover, logsWithoutTransaction, yieldTurn }: JudgeOptions,
): Promise<Judgement> {
  const encoded = new Map<number, SignedTransaction | null>()
  const signedAt = async (index: number): Promise<SignedTransaction | null> => {
    const cached = encoded.get(index)
    if (cached !== undefined) return cached
    if (encoded.size % TRANSACTIONS_PER_TURN === TRANSACTIONS_PER_TURN - 1) await yieldTurn()
    const signed = index < block.transactionCount ? signedTransaction(block.raw(index)) : null
    encoded.set(index, signed)
    return signed
  }
  const holds = async (index: number): Promise<boolean> => {
    const signed = await signedAt(index)
    return signed !== null && block.isAt(index, signed.hash)
  }
  let areKnown = true
  for (const index of indices) {
    const signed = await signedAt(index)
    const sender = signed === null ? null : signed.sender()
    if (signed === null || sender === null) {
      areKnown = false
      continue
    }
    if (!(await holds(index))) return (await anyOf(block.transactionCount, holds)) ? 'false' : 'unknown'
    if (sender !== block.transaction(index, signed.hash)?.from) return 'false'
    await yieldTurn()
  }
  if (!areKnown) return 'unknown'
  if (isListed) return 'proven'
  const all: (SignedTransaction | null)[] = []
  for (let index = 0; index < block.transactionCount; index++) all.push(await signedAt(index))
  // On some forks the root does not cover Polygon's state-sync transaction, the last one of a block.
  if (logsWithoutTransaction && all.at(-1) === null) all.pop()
  const encodings = all.flatMap((each) => each?.encoding ?? [])
  if (encodings.length < all.length) return 'unknown'
  const proof = prover.proveTransactions(header, encodings)
  return proof === 'false' && (logsWithoutTransaction || !isWhole) ? 'unknown' : proof
}

async function anyOf(count: number, holds: (index: number) => Promise<boolean>): Promise<boolean> {
  for (let index = 0; index < count; index += Math.ceil(count / MAX_TRIED)) if (await holds(index)) return true
  return false
}

interface TransactionSampleOptions extends ReceiptsOptions {
  log: ChainLog
  clock: Clock
  closed: AbortSignal
  every: number
  onDisproved: (block: number) => void
}

const DOUBTED_BLOCKS = 50
/** Other endpoints may take this long to receive a head block. */
const HEAD_WAIT_MS = 30 * SECOND
const SENDERS = 4

interface Recheck extends ShownBody {
  differing: number | undefined
  judge: (transactions: JudgedTransactions) => Promise<Judgement>
}

/**
 * Compares hash, sender and value of transactions in sampled blocks, which the receipts root does not cover, with an
 * endpoint of another host. If the two differ, or if there is no other, the transactions' own fields decide. The wrong
 * endpoint is set aside.
 */
export class TransactionSample {
  readonly #pool: EndpointPool
  readonly #options: TransactionSampleOptions
  #left: number
  /** Blocks whose check failed. The next endpoint that reports them is checked, too. */
  readonly #suspects = new Set<number>()
  #lastReturned = -1

  constructor(pool: EndpointPool, options: TransactionSampleOptions) {
    this.#pool = pool
    this.#options = options
    this.#left = Math.floor(options.clock.random() * options.every)
  }

  /** @throws ProofFailed if a transaction is not as the endpoint reported it */
  async check({ endpoint }: Session, blocks: readonly Block[]): Promise<void> {
    for (const block of this.#due(endpoint, blocks)) {
      this.#suspects.add(block.number)
      await this.#check(endpoint, block)
      this.#suspects.delete(block.number)
    }
  }

  checkLater({ endpoint }: Session, blocks: readonly Block[]): void {
    this.#lastReturned = Math.max(this.#lastReturned, blocks.at(-1)?.number ?? -1)
    for (const block of this.#due(endpoint, blocks)) void this.#checkLater(endpoint, block)
  }

  #due(endpoint: Endpoint, blocks: readonly Block[]): Block[] {
    return blocks.filter(({ number, transactions }) => {
      if (transactions.size === 0) return false
      if (this.#suspects.has(number)) return true
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
        this.#options.onDisproved(this.#lastReturned)
      } else if (!(error instanceof ChainError)) log.error({ err: error }, 'transactions could not be compared')
    }
  }

  async #check(endpoint: Endpoint, block: Block): Promise<void> {
    const { clock } = this.#options
    const others = this.#pool.witnessesOf(endpoint)
    for (const other of others.filter((endpoint) => endpoint.readyAt('bulk') <= clock.now())) {
      const again = await this.#recheck(other, block)
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

  async #wrongAbout(
    index: number,
    block: Block,
    reporter: Endpoint,
    byOther: Recheck,
  ): Promise<'reporter' | 'other' | null> {
    const hash = block.transactions.get(index)?.hash ?? '0x'
    const isListed = byOther.block.isAt(index, hash)
    const others = await byOther.judge({ indices: [index], isListed, isWhole: false })
    if (others === 'proven') return 'reporter'
    if (others === 'false') return 'other'
    const byReporter = await this.#recheck(reporter, block)
    if (byReporter === null) return null
    if (byReporter.differing !== undefined) return 'reporter'
    const reported = await byReporter.judge({ indices: [index], isListed, isWhole: block.isProven === true })
    if (reported === 'unknown') return null
    return reported === 'proven' ? 'other' : 'reporter'
  }

  async #checkAlone(endpoint: Endpoint, block: Block): Promise<void> {
    const { clock } = this.#options
    const again = await this.#recheck(endpoint, block)
    if (again === null) return
    if (again.differing !== undefined) throw falseBlock(endpoint, block, again.differing)
    const signed = [...block.transactions].flatMap(([index, { from }]) => (from === null ? [] : [index]))
    const first = Math.floor(clock.random() * signed.length)
    const indices = [...signed.slice(first), ...signed.slice(0, first)].slice(0, SENDERS)
    const judgement = await again.judge({ indices, isListed: false, isWhole: block.isProven === true })
    if (judgement === 'false') throw falseBlock(endpoint, block, indices[0])
  }

  async #recheck(endpoint: Endpoint, reported: Block): Promise<Recheck | null> {
    const { number, hash } = reported
    const { logsWithoutTransaction } = this.#options
    const prover = await this.#options.prover()
    try {
      return await this.#pool.once(endpoint, 'bulk', async (session) => {
        const { results } = await session.request([blockRequest(number)])
        const block = expectBlock(session, number, results[0])
        const shown = { header: readObject(results[0], 'block'), block }
        const options = { prover, logsWithoutTransaction, yieldTurn: session.yieldTurn }
        const judge: Recheck['judge'] = (transactions) =>
          judgeTransactions(shown, transactions, options).catch(unreadable)
        if (block.header.hash !== hash) return null
        return { ...shown, judge, differing: firstDifference(reported, shown, logsWithoutTransaction) }
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
    this.#options.log.error(fields, 'endpoints contradict each other about a transaction, and neither is proven wrong')
  }
}

function falseBlock(endpoint: Endpoint, { number, transactions }: Block, index: number | undefined): ProofFailed {
  const what =
    index === undefined
      ? 'its transactions do not have the root of the header'
      : `hash, sender or value of transaction ${transactions.get(index)?.hash} do not match its fields`
  endpoint.doubtedBlocks = DOUBTED_BLOCKS
  return new ProofFailed({ endpoint: endpoint.masked, block: number, what })
}

function unreadable(error: unknown): Judgement {
  if (!(error instanceof ChainError)) throw error
  return 'unknown'
}
