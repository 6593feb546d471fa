import { type Block, type BlockHeader, type BlockRange, HOUR, MINUTE, type Receipts, SECOND } from '@dexfeed/dex'
import type { ChainLog } from '../../../chain-log.ts'
import { type Session, UNSETTLED_ATTEMPTS } from '../../../endpoints/endpoint-pool.ts'
import { EndpointFailure, ProofFailed } from '../../../errors/chain-error.ts'
import { ObjectTexts } from '../../../json-rpc/cut-lists.ts'
import { blockReceiptsRequest, blockRequest, type LogFilter } from '../../../json-rpc/messages.ts'
import { type FullBlock, STATE_SYNC } from '../../../json-rpc/rpc-block.ts'
import { LogMatcher, type PlacedLog, placedLogs, readLogs } from '../../../json-rpc/rpc-log.ts'
import { type RpcObject, readArray, readHash, readObject } from '../../../json-rpc/rpc-value.ts'
import { scanReceipts } from '../../../json-rpc/scan-receipts.ts'
import { assembleBlock } from '../../assemble-block.ts'
import { expectBlock, noteBlockSize, requestHalving } from '../../fetch-blocks.ts'
import { fetchPresentHeader } from '../../read-header.ts'
import type { BlockProver } from '../commitments/block-prover.ts'
import { signedTransaction, TRANSACTIONS_PER_TURN } from '../commitments/signed-transaction.ts'
import { receiptsByIndex, type ScannedLogs } from './scanned-logs.ts'
import type { UnknownHeader, UnknownHeaders } from './unknown-headers.ts'

interface ProvenBlocksOptions {
  filter: LogFilter
  scanned: ScannedLogs
  logsWithoutTransaction: boolean
  prover: BlockProver
  now: () => number
  onProof: (seconds: number) => void
}

export interface ProofOptions extends Omit<ProvenBlocksOptions, 'prover'> {
  prover: () => Promise<BlockProver>
  unknownHeaders: UnknownHeaders
  log: ChainLog
}

class NotProvable extends Error {
  override readonly name = 'NotProvable'
  readonly header: UnknownHeader | null

  constructor(message: string, header: UnknownHeader | null = null) {
    super(message)
    this.header = header
  }
}

const NO_PROOFS_MS = 10 * MINUTE
/** Shorter after unknown header fields, which may be a lie that no other endpoint could refute. */
const UNKNOWN_HEADER_MS = MINUTE
const LAST_ATTEMPT = UNSETTLED_ATTEMPTS - 1

/**
 * Returns null if the endpoint cannot prove blocks now.
 *
 * @throws ProofFailed, ChainInconsistent
 */
export async function readIfProven(
  session: Session,
  range: BlockRange,
  options: ProofOptions,
): Promise<Block[] | null> {
  const { endpoint } = session
  const { now, log, unknownHeaders } = options
  if (now() < endpoint.provesFrom) return null
  const prover = await options.prover()
  try {
    const blocks = await readProven(session, range, { ...options, prover })
    unknownHeaders.proven(range.from + blocks.length - 1)
    return blocks
  } catch (error) {
    if (!(error instanceof NotProvable || lacksReceipts(error))) throw error
    if (error instanceof NotProvable && error.header) await unknownHeaders.judge(session, error.header, prover)
    if (error instanceof EndpointFailure && error.isPruned) return null
    if (now() >= endpoint.provesFrom) {
      log.info({ endpoint: endpoint.masked, reason: error.message }, 'blocks are read without proof')
    }
    const isUnknown = error instanceof NotProvable && error.header !== null
    endpoint.provesFrom = now() + (isUnknown ? UNKNOWN_HEADER_MS : NO_PROOFS_MS)
    return null
  }
}

function lacksReceipts(error: unknown): error is EndpointFailure {
  if (!(error instanceof EndpointFailure && error.method === 'eth_getBlockReceipts')) return false
  const { kind } = error.verdict
  return kind === 'unsupported' || kind === 'dead' || (kind === 'other' && error.code !== null)
}

/**
 * Reads blocks with all their receipts, as many as one response holds. Each block's hash commits to its receipts root,
 * so that a missing or changed log is found.
 *
 * @throws ProofFailed if the header or the receipts are false
 * @throws NotProvable if the header or the receipts lack fields, or if the header has unknown ones
 */
async function readProven(session: Session, range: BlockRange, options: ProvenBlocksOptions): Promise<Block[]> {
  const response = await requestHalving(session, range, (requested) => [
    ...requested.map(blockRequest),
    ...requested.map(blockReceiptsRequest),
  ])
  const requested = response.numbers
  noteBlockSize(session, requested.length, response.bytes)
  const blocks: Block[] = []
  for (const [i, number] of requested.entries()) {
    if (i > 0) await session.yieldTurn()
    const block = expectBlock(session, number, response.results[i])
    const receipts = response.results[requested.length + i]
    if (receipts === null) throw receiptsMissing(session, block.header, options.now)
    const shown = { block, header: readObject(response.results[i], 'block'), receipts }
    const proven = scannedLogs(shown, options) ?? (await parsedLogs(session, shown, options))
    const assembled = assembleBlock(block, proven.logs, session.inconsistent, options.logsWithoutTransaction)
    blocks.push({ ...assembled, isProven: true, receipts: proven.receipts })
  }
  return blocks
}

function receiptsMissing(session: Session, { number, timestamp }: BlockHeader, now: () => number): Error {
  const method = 'eth_getBlockReceipts'
  const age = now() - timestamp * SECOND
  if (session.attempt < LAST_ATTEMPT || age < MINUTE) return session.missing(`receipts of block ${number}`, method)
  const detail = `no receipts of block ${number}`
  if (age < HOUR) return new NotProvable(detail)
  const verdict = { kind: 'unsupported', what: 'history' } as const
  return new EndpointFailure({ endpoint: session.endpoint.masked, method, verdict, detail })
}

interface ShownBlock {
  block: FullBlock
  header: RpcObject
  receipts: unknown
}

interface ProvenLogs {
  logs: PlacedLog[]
  receipts: Receipts
}

function scannedLogs(
  { block, header, receipts }: ShownBlock,
  { scanned: logs, logsWithoutTransaction, prover, now, onProof }: ProvenBlocksOptions,
): ProvenLogs | null {
  if (!(receipts instanceof ObjectTexts)) return null
  const startedAt = now()
  const scanned = scanReceipts(receipts)
  if (scanned === null) return null
  const proven = prover.provenCount(header, scanned, logsWithoutTransaction)
  if (proven === null) return null
  onProof((now() - startedAt) / SECOND)
  const found = logs.of(block, scanned, { proven, bridged: logsWithoutTransaction })
  return found === null ? null : { logs: found, receipts: logs.receiptsOf(block, scanned, found, proven) }
}

/**
 * Checks an empty list of receipts, which does not name its block.
 *
 * @throws ChainInconsistent if the endpoint now has another block at this number
 */
async function checkBranch(
  session: Session,
  { header, transactionCount }: FullBlock,
  receipts: readonly RpcObject[],
): Promise<void> {
  if (transactionCount === 0 || receipts.length > 0) return
  const { hash } = await fetchPresentHeader(session, header.number)
  if (hash !== header.hash)
    throw session.inconsistent(`no receipts of ${header.hash}, block ${header.number} is ${hash}`)
}

async function parsedLogs(session: Session, shown: ShownBlock, options: ProvenBlocksOptions): Promise<ProvenLogs> {
  const { filter, logsWithoutTransaction, prover, now, onProof } = options
  const { block, header } = shown
  const receipts = readArray(shown.receipts, 'receipts').map((receipt) => readObject(receipt, 'receipt'))
  await checkBranch(session, block, receipts)
  const { number, hash } = block.header
  const falseBlock = (what: string) => new ProofFailed({ endpoint: session.endpoint.masked, block: number, what })
  const other = receipts.find(({ blockHash }) => readHash(blockHash, 'receipt.blockHash') !== hash)
  if (other !== undefined) throw session.inconsistent(`receipts of ${other.blockHash} for block ${number}, ${hash}`)
  const startedAt = now()
  const proof = prover.prove(header, receipts, logsWithoutTransaction)
  onProof((now() - startedAt) / SECOND)
  if (proof.kind === 'unknown') {
    const { what, unknownFields: fields } = proof
    const isLean = prover.hasItsHash(header) === null
    throw new NotProvable(what, fields === undefined ? null : { block: block.header, fields, isLean })
  }
  if (proof.kind === 'false') {
    const isPart = await isPartOfBlock(session, { block, header, receipts }, options)
    throw isPart ? new NotProvable('a part of a block') : falseBlock(proof.what)
  }
  const covered = receipts.slice(0, proof.receipts)
  const unlisted = receipts.length - block.transactionCount
  if (unlisted < 0 || unlisted > (logsWithoutTransaction ? 1 : 0)) {
    throw falseBlock(`${receipts.length} receipts of ${block.transactionCount} transactions`)
  }
  const matcher = new LogMatcher(filter)
  const placed = placedLogs(covered)
  const logsOf = (index: number) => readLogs(placed[index] ?? [], session.inconsistent)
  const logs: PlacedLog[] = []
  covered.forEach((receipt, index) => {
    const listed = index < block.transactionCount
    const transactionHash = readHash(receipt.transactionHash, 'receipt.transactionHash')
    if (listed && !block.isAt(index, transactionHash)) throw falseBlock(`another receipt than of transaction ${index}`)
    if (!listed && Number(receipt.type) !== STATE_SYNC) throw falseBlock(`${transactionHash} is not in the block`)
    const selected = (placed[index] ?? []).filter((log) => matcher.hasShown(log))
    for (const log of readLogs(selected, session.inconsistent)) {
      if (log.blockHash !== hash || log.blockNumber !== number || log.transactionHash !== transactionHash) {
        throw falseBlock(`a log of another transaction than ${transactionHash}`)
      }
      logs.push(log)
    }
  })
  return { logs, receipts: receiptsByIndex(block, covered.length, logsOf) }
}

/**
 * Returns whether the endpoint keeps only a part of the block. That is so if the header matches its hash, but transaction
 * indices have gaps or the transactions do not match the header's root. The header's gas proves nothing, because it may
 * differ from the last receipt's (EIP-7778, EIP-8037).
 */
async function isPartOfBlock(
  session: Session,
  { block, header, receipts }: ShownBlock & { receipts: readonly RpcObject[] },
  { prover, logsWithoutTransaction }: ProvenBlocksOptions,
): Promise<boolean> {
  if (prover.hasItsHash(header) !== true) return false
  if (receipts.length === 0 || receipts.length !== block.transactionCount) return false
  const places = receipts.map((_, i) => Number(block.raw(i).transactionIndex))
  if (!receipts.every(({ transactionIndex }, i) => Number(transactionIndex) === places[i])) return false
  if (!places.every((place, i) => place === i)) return true
  // Only some forks include Polygon's state-sync transaction in the root.
  if (logsWithoutTransaction) return false
  const encodings: Uint8Array[] = []
  for (let index = 0; index < block.transactionCount; index++) {
    if (index % TRANSACTIONS_PER_TURN === TRANSACTIONS_PER_TURN - 1) await session.yieldTurn()
    const signed = signedTransaction(block.raw(index))
    if (signed === null) return false
    encodings.push(signed.encoding)
  }
  return prover.proveTransactions(header, encodings) === 'false'
}
