import type { Block, BlockRange, Hex } from '@dexfeed/dex'
import type { ChainLog } from '../../../chain-log.ts'
import type { Clock } from '../../../clock.ts'
import type { Session } from '../../../endpoints/endpoint-pool.ts'
import { ChainError, ChainInconsistent, EndpointFailure, ProofFailed } from '../../../errors/chain-error.ts'
import { blockRequest, headerRequest, type LogFilter, receiptRequest } from '../../../json-rpc/messages.ts'
import { contentOf, LogMatcher, type PlacedLog, placedLogs, readLogs } from '../../../json-rpc/rpc-log.ts'
import { readArray, readHash, readObject } from '../../../json-rpc/rpc-value.ts'
import { expectBlock } from '../../fetch-blocks.ts'
import { expectHeader } from '../../read-header.ts'
import type { BlockProver, Proof } from '../commitments/block-prover.ts'

export interface ReportedLogs extends BlockRange {
  filter: LogFilter
  logs: readonly PlacedLog[]
  end: Hex
  /** Hashes of all blocks of the range if they may still change, else null. */
  hashes: readonly Hex[] | null
  /** Transactions that nodes may omit (Polygon's state sync), each with its block number. */
  unlisted: ReadonlyMap<Hex, number>
}

export function reportedByBlocks(
  range: BlockRange,
  blocks: readonly Block[],
  filter: LogFilter,
): Omit<ReportedLogs, 'hashes' | 'end'> {
  const unlisted = new Map<Hex, number>()
  const logs: PlacedLog[] = []
  for (const { number: blockNumber, hash: blockHash, logs: blockLogs, transactions } of blocks) {
    for (const log of blockLogs) {
      const transaction = transactions.get(log.transactionIndex)
      if (transaction === undefined) continue
      if (transaction.from === null) unlisted.set(transaction.hash, blockNumber)
      else logs.push({ ...log, blockNumber, blockHash, transactionHash: transaction.hash })
    }
  }
  return { ...range, filter, logs, unlisted }
}

/** Returns the first log that is only in `others`, and the first that is only in `logs`. */
export function firstDifferences(logs: readonly PlacedLog[], others: readonly PlacedLog[]) {
  const texts = logs.map(contentOf)
  const otherTexts = others.map(contentOf)
  const known = new Set(texts)
  const otherKnown = new Set(otherTexts)
  return {
    leftOut: others[otherTexts.findIndex((text) => !known.has(text))],
    extra: logs[texts.findIndex((text) => !otherKnown.has(text))],
  }
}

export interface ReceiptsOptions {
  prover: () => Promise<BlockProver>
  logsWithoutTransaction: boolean
}

export interface ShownBlock {
  hash: Hex
  proof: Proof
  logs: readonly PlacedLog[]
}

/** Reads the receipts of a block one by one, so that it also works without eth_getBlockReceipts. */
async function readReceipts(session: Session, number: number, options: ReceiptsOptions): Promise<ShownBlock> {
  const { results } = await session.request([headerRequest(number)])
  const { hash } = expectHeader(session, number, results[0])
  const block = readObject(results[0], 'block')
  const hashes = readArray(block.transactions, 'block.transactions').map((each) => readHash(each, 'transaction.hash'))
  const responses = hashes.length === 0 ? [] : (await session.request(hashes.map(receiptRequest))).results
  const receipts = responses.map((response, i) => {
    const what = `the receipt of ${hashes[i]}`
    if (response === null || response === undefined) throw session.missing(what, 'eth_getTransactionReceipt')
    const receipt = readObject(response, 'receipt')
    const isRequested =
      readHash(receipt.transactionHash, 'receipt.transactionHash') === hashes[i] &&
      readHash(receipt.blockHash, 'receipt.blockHash') === hash
    if (!isRequested) throw session.inconsistent(`${what} is of ${String(receipt.transactionHash)} in another place`)
    return receipt
  })
  const proof = (await options.prover()).prove(block, receipts, options.logsWithoutTransaction)
  const shown =
    proof.kind === 'proven' ? placedLogs(receipts.slice(0, proof.receipts)) : receipts.map(({ logs }) => logs)
  const logs = shown.flatMap((ofReceipt, i) =>
    readLogs(ofReceipt, session.inconsistent).map((log) => {
      if (log.blockHash !== hash || log.transactionHash !== hashes[i]) {
        throw session.inconsistent(`a log of another transaction in the receipt of ${hashes[i]}`)
      }
      return log
    }),
  )
  return { hash, proof, logs }
}

/** `neither` if honest nodes may differ about the log; null if undecided. */
export type WrongEndpoint = 'reporter' | 'denier' | 'neither' | null

/**
 * Decides by the block's receipts which of two endpoints is wrong about a log.
 *
 * @throws ChainInconsistent, or EndpointFailure with the verdict `not-yet`, if one of them does not have this block now
 */
export async function settleLog(
  log: PlacedLog,
  { reporter, denier }: { reporter: Session; denier: Session },
  options: ReceiptsOptions,
): Promise<WrongEndpoint> {
  if (options.logsWithoutTransaction && (await isUnlisted(log, reporter))) return 'neither'
  const byReporter = await shownBy(reporter, log, options)
  const byDenier = await shownBy(denier, log, options)
  return judgeLog(log, byReporter, byDenier)
}

/**
 * Uses proven receipts if there are any. Otherwise an endpoint is wrong if its receipts contradict its own claim, and
 * so is a denier without receipts if the reporter has them.
 *
 * @param byReporter null if the reporter does not return the receipts
 */
export function judgeLog(log: PlacedLog, byReporter: ShownBlock | null, byDenier: ShownBlock | null): WrongEndpoint {
  const text = contentOf(log)
  const has = ({ logs }: ShownBlock): boolean => logs.some((shown) => contentOf(shown) === text)
  if (byReporter?.proof.kind === 'proven') return has(byReporter) ? 'denier' : 'reporter'
  if (byReporter?.proof.kind === 'false') return 'reporter'
  if (byDenier?.proof.kind === 'proven') return has(byDenier) ? 'denier' : 'reporter'
  if (byDenier?.proof.kind === 'false') return 'denier'
  if (byDenier !== null && has(byDenier)) return 'denier'
  if (byReporter !== null && !has(byReporter)) return 'reporter'
  return byReporter !== null && byDenier === null ? 'denier' : null
}

async function shownBy(session: Session, log: PlacedLog, options: ReceiptsOptions): Promise<ShownBlock | null> {
  try {
    const shown = await readReceipts(session, log.blockNumber, options)
    if (shown.hash !== log.blockHash) throw session.inconsistent(`block ${log.blockNumber} is ${shown.hash} now`)
    return shown
  } catch (error) {
    if (!(error instanceof ChainError) || error instanceof ChainInconsistent) throw error
    if (error instanceof EndpointFailure && error.verdict.kind === 'not-yet') throw error
    return null
  }
}

async function isUnlisted(
  { blockNumber, transactionHash, transactionIndex }: PlacedLog,
  session: Session,
): Promise<boolean> {
  const { results } = await session.request([blockRequest(blockNumber)])
  const block = expectBlock(session, blockNumber, results[0])
  return (block.transaction(transactionIndex, transactionHash)?.from ?? null) === null
}

const EVERY = 50

export class ReceiptSample {
  readonly #options: ReceiptsOptions & { log: ChainLog }
  /** Blocks left until the next sample. Random at first, so that the node cannot predict it. */
  #left: number

  constructor(options: ReceiptsOptions & { log: ChainLog; clock: Pick<Clock, 'random'> }) {
    this.#options = options
    this.#left = Math.floor(options.clock.random() * EVERY)
  }

  /** @throws ProofFailed */
  async check(session: Session, claim: ReportedLogs): Promise<void> {
    if (claim.filter.addresses !== undefined) return
    for (const number of this.#due(claim)) {
      const shown = await this.#shown(session, number)
      if (shown !== null) compare(session, claim, number, shown)
    }
  }

  #due({ from, to }: BlockRange): number[] {
    const due: number[] = []
    let next = from + this.#left
    for (; next <= to; next += EVERY) due.push(next)
    this.#left = next - to - 1
    return due
  }

  async #shown(session: Session, number: number): Promise<ShownBlock | null> {
    try {
      return await readReceipts(session, number, this.#options)
    } catch (error) {
      if (!(error instanceof EndpointFailure) || error.verdict.kind === 'not-yet') throw error
      const fields = { endpoint: session.endpoint.masked, block: number, err: error }
      this.#options.log.warn(
        fields,
        'logs are trusted without proof: the only endpoint serves no receipts to check them',
      )
      return null
    }
  }
}

function compare(
  session: Session,
  { filter, logs, unlisted, hashes, from }: ReportedLogs,
  number: number,
  shown: ShownBlock,
): void {
  const falseBlock = (what: string) => new ProofFailed({ endpoint: session.endpoint.masked, block: number, what })
  if (shown.proof.kind === 'false') throw falseBlock(shown.proof.what)
  const claim = logs.filter(({ blockNumber }) => blockNumber === number)
  const expected = claim[0]?.blockHash ?? hashes?.[number - from] ?? shown.hash
  if (shown.hash !== expected)
    throw session.inconsistent(`block ${number} is ${shown.hash}, its logs are of ${expected}`)
  const matcher = new LogMatcher(filter)
  const inReceipts = shown.logs.filter((log) => matcher.has(log) && !unlisted.has(log.transactionHash))
  const { leftOut, extra: invented } = firstDifferences(claim, inReceipts)
  if (leftOut !== undefined) throw falseBlock(`logs without those of ${leftOut.transactionHash}, which its receipt has`)
  if (invented !== undefined) throw falseBlock(`logs of ${invented.transactionHash} that its receipt does not have`)
}
