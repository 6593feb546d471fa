import type { BlockHeader, Hex, Log, Transaction } from '@dexfeed/dex'
import type { EndpointPool, Session } from '../endpoints/endpoint-pool.ts'
import type { Priority } from '../endpoints/request-gate.ts'
import { headerRequest, receiptRequest, transactionRequest } from '../json-rpc/messages.ts'
import { readTransaction } from '../json-rpc/rpc-block.ts'
import { containsLogs, inLogOrder, KnownTexts, readLogs } from '../json-rpc/rpc-log.ts'
import { type RpcObject, readBytes, readHash, readObject, readQuantity } from '../json-rpc/rpc-value.ts'
import { explainsBloom } from './confirm-no-logs.ts'
import type { ReceiptWitness } from './proof/witness/receipt-witness.ts'
import { expectHeader } from './read-header.ts'

export interface MinedTransaction {
  transaction: Transaction
  transactionIndex: number
  block: BlockHeader
  succeeded: boolean
  logs: Log[]
}

export interface TransactionPlace {
  hash: Hex
  blockHash: Hex
  /** Known logs of the transaction, which its receipt must contain. */
  logs?: readonly Log[]
}

const TRANSACTIONS_PER_OPERATION = 200

/**
 * Returns every log of some transactions. Throws a retryable error if a receipt is missing, belongs to another block,
 * or lacks known logs. The other logs are not proven, so an endpoint of another host is asked, too; the receipt with
 * more logs counts.
 */
export function readTransactionLogs(
  pool: EndpointPool,
  witness: ReceiptWitness,
  places: readonly TransactionPlace[],
  priority: Priority,
): Promise<Log[][]> {
  return readParts({ pool, what: `${places.length} receipts`, priority }, places, (session, part) => {
    const hashes = part.map(({ hash }) => hash)
    return witness.confirm(session, hashes, (anySession) => fetchTransactionLogs(anySession, part), priority)
  })
}

export function readTransactions(pool: EndpointPool, hashes: readonly Hex[]): Promise<(MinedTransaction | null)[]> {
  return readParts({ pool, what: `${hashes.length} transactions`, priority: 'live' }, hashes, fetchTransactions)
}

async function readParts<T, R>(
  { pool, what, priority }: { pool: EndpointPool; what: string; priority: Priority },
  list: readonly T[],
  read: (session: Session, part: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < list.length; i += TRANSACTIONS_PER_OPERATION) {
    const part = list.slice(i, i + TRANSACTIONS_PER_OPERATION)
    const operation = { what, priority, method: 'eth_getTransactionReceipt' } as const
    results.push(...(await pool.run(operation, (session) => read(session, part))))
  }
  return results
}

async function fetchTransactionLogs(session: Session, places: readonly TransactionPlace[]): Promise<Log[][]> {
  const { results } = await session.request(places.map(({ hash }) => receiptRequest(hash)))
  const texts = new KnownTexts()
  return places.map(({ hash, blockHash, logs = [] }, i) => {
    if (isNothing(results[i])) throw session.missing(`the receipt of ${hash}`, 'eth_getTransactionReceipt')
    const receipt = readReceipt(session, results[i], hash, texts)
    if (receipt.blockHash !== blockHash) {
      throw session.inconsistent(`the receipt of ${hash} is of block ${receipt.blockHash}, not of ${blockHash}`)
    }
    const numbered = containsLogs(receipt.logs, logs) ? receipt.logs : numberedLike(receipt.logs, logs)
    if (numbered === null) throw session.inconsistent(`the receipt of ${hash} lacks logs that its block has`)
    return numbered
  })
}

/**
 * Numbers the logs like the expected ones, because some nodes restart the indices in each receipt. Returns null if the
 * expected logs fit nowhere, or in several places.
 */
function numberedLike(logs: readonly Log[], expected: readonly Log[]): Log[] | null {
  const first = expected[0]
  if (first === undefined) return null
  const found = logs
    .map(({ logIndex }) => logs.map((log) => ({ ...log, logIndex: log.logIndex + first.logIndex - logIndex })))
    .filter((numbered) => containsLogs(numbered, expected))
  return found.length === 1 ? (found[0] ?? null) : null
}

async function fetchTransactions(session: Session, hashes: readonly Hex[]): Promise<(MinedTransaction | null)[]> {
  const { results } = await session.request(hashes.flatMap((hash) => [transactionRequest(hash), receiptRequest(hash)]))
  const found = hashes.map((hash, i) => {
    const raw = results[2 * i]
    const receipt = results[2 * i + 1]
    if (isNothing(raw) || isNothing(receipt)) return null
    return { raw: readObject(raw, 'transaction'), receipt: readMined(session, receipt, hash) }
  })
  const headers = await readHeaders(session, new Set(found.flatMap((each) => each?.receipt.blockNumber ?? [])))
  return found.map((each, i) => {
    const hash = hashes[i]
    const header = each === null ? undefined : headers.get(each.receipt.blockNumber)
    if (each === null || hash === undefined || header === undefined) return null
    if (header.hash !== each.receipt.blockHash || each.raw.blockHash !== header.hash) {
      throw session.inconsistent(
        `${hash} is of block ${each.receipt.blockHash}, block ${header.number} is ${header.hash}`,
      )
    }
    const { transactionIndex, succeeded, logs } = each.receipt
    return { transaction: readTransaction(each.raw, hash), transactionIndex, block: header, succeeded, logs }
  })
}

async function readHeaders(session: Session, numbers: ReadonlySet<number>): Promise<Map<number, BlockHeader>> {
  if (numbers.size === 0) return new Map()
  const { results } = await session.request([...numbers].map(headerRequest))
  return new Map(
    [...numbers].map((number, i): [number, BlockHeader] => [number, expectHeader(session, number, results[i])]),
  )
}

/** Reads a receipt. The completeness of its logs is checked only by its own bloom, if it has one. */
function readMined(session: Session, value: unknown, hash: Hex) {
  const receipt = readObject(value, 'receipt')
  const read = readReceipt(session, receipt, hash)
  const values = read.logs.flatMap(({ address, topics }) => [address, ...topics])
  if (
    typeof receipt.logsBloom === 'string' &&
    !explainsBloom(readBytes(receipt.logsBloom, 'receipt.logsBloom'), values)
  ) {
    throw session.inconsistent(`the receipt of ${hash} lacks logs that its bloom has`)
  }
  return {
    ...read,
    blockNumber: readQuantity(receipt.blockNumber, 'receipt.blockNumber'),
    transactionIndex: readQuantity(receipt.transactionIndex, 'receipt.transactionIndex'),
    succeeded: hasSucceeded(receipt),
  }
}

function readReceipt(session: Session, value: unknown, hash: Hex, texts?: KnownTexts): { blockHash: Hex; logs: Log[] } {
  const receipt = readObject(value, 'receipt')
  const blockHash = readHash(receipt.blockHash, 'receipt.blockHash')
  if (readHash(receipt.transactionHash, 'receipt.transactionHash') !== hash) {
    throw session.inconsistent(`the receipt of another transaction than ${hash}`)
  }
  const logs = readLogs(receipt.logs, session.inconsistent, texts)
  if (logs.some((log) => log.blockHash !== blockHash || log.transactionHash !== hash)) {
    throw session.inconsistent(`logs of another transaction in the receipt of ${hash}`)
  }
  return {
    blockHash,
    logs: inLogOrder(logs).map(({ address, topics, data, transactionIndex, logIndex }): Log => {
      return { address, topics, data, transactionIndex, logIndex }
    }),
  }
}

/** Receipts before Byzantium (EIP-658) have no status. One with logs has succeeded. */
function hasSucceeded({ status, logs }: RpcObject): boolean {
  if (status === undefined || status === null) return Array.isArray(logs) && logs.length > 0
  return readQuantity(status, 'receipt.status') === 1
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
