import type { BlockHeader, Hex, Log, Transaction } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { RpcRequest } from '../json-rpc/messages.ts'
import { readHeader, readTransaction } from '../json-rpc/rpc-block.ts'
import { inLogOrder, readLogs } from '../json-rpc/rpc-log.ts'
import { type RpcObject, readHash, readObject, readQuantity } from '../json-rpc/rpc-value.ts'
import { headerRequest, missingBlock } from './fetch-blocks.ts'

/** A transaction as it was mined, with every log of it. */
export interface MinedTransaction {
  transaction: Transaction
  transactionIndex: number
  block: BlockHeader
  /** False: it was reverted, and has no logs. */
  succeeded: boolean
  /** In log order. */
  logs: Log[]
}

/** A mined transaction, by its hash and the block that it is of. */
export interface TransactionPlace {
  hash: Hex
  blockHash: Hex
}

/**
 * Every log of some transactions, in the order asked. A receipt that is not there, or is of another block, is trouble
 * that may pass: a lagging backend or a reorganisation.
 */
export async function readTransactionLogs(session: Session, places: readonly TransactionPlace[]): Promise<Log[][]> {
  const { results } = await session.ask(places.map(({ hash }) => receiptRequest(hash)))
  return places.map(({ hash, blockHash }, i) => {
    if (isNothing(results[i])) throw missingReceipt(session, hash)
    const receipt = readReceipt(session, results[i], hash)
    if (receipt.blockHash !== blockHash) {
      throw session.inconsistent(`the receipt of ${hash} is of block ${receipt.blockHash}, not of ${blockHash}`)
    }
    return receipt.logs
  })
}

/** Some transactions by their hashes, in the order asked; null: the node does not know it, or it is not mined yet. */
export async function readTransactions(session: Session, hashes: readonly Hex[]): Promise<(MinedTransaction | null)[]> {
  const { results } = await session.ask(hashes.flatMap((hash) => [transactionRequest(hash), receiptRequest(hash)]))
  const found = hashes.map((hash, i) => {
    const [raw, receipt] = [results[2 * i], results[2 * i + 1]]
    if (isNothing(raw) || isNothing(receipt)) return null
    return { raw: readObject(raw, 'transaction'), receipt: readMined(session, receipt, hash) }
  })
  const headers = await readHeaders(session, new Set(found.flatMap((one) => one?.receipt.blockNumber ?? [])))
  return found.map((one, i) => {
    const hash = hashes[i]
    const header = one === null ? undefined : headers.get(one.receipt.blockNumber)
    if (one === null || hash === undefined || header === undefined) return null
    if (header.hash !== one.receipt.blockHash || one.raw.blockHash !== header.hash) {
      throw session.inconsistent(
        `${hash} is of block ${one.receipt.blockHash}, block ${header.number} is ${header.hash}`,
      )
    }
    const { transactionIndex, succeeded, logs } = one.receipt
    return { transaction: readTransaction(one.raw, hash), transactionIndex, block: header, succeeded, logs }
  })
}

async function readHeaders(session: Session, numbers: ReadonlySet<number>): Promise<Map<number, BlockHeader>> {
  if (numbers.size === 0) return new Map()
  const { results } = await session.ask([...numbers].map(headerRequest))
  return new Map(
    [...numbers].map((number, i): [number, BlockHeader] => {
      const header = readHeader(results[i])
      if (header === null) throw missingBlock(session, number)
      if (header.number !== number) throw session.inconsistent(`asked for block ${number}, got ${header.number}`)
      return [number, header]
    }),
  )
}

/** A receipt with its place in the chain. */
function readMined(session: Session, value: unknown, hash: Hex) {
  const receipt = readObject(value, 'receipt')
  return {
    ...readReceipt(session, receipt, hash),
    blockNumber: readQuantity(receipt.blockNumber, 'receipt.blockNumber'),
    transactionIndex: readQuantity(receipt.transactionIndex, 'receipt.transactionIndex'),
    succeeded: hasSucceeded(receipt),
  }
}

function readReceipt(session: Session, value: unknown, hash: Hex): { blockHash: Hex; logs: Log[] } {
  const receipt = readObject(value, 'receipt')
  const blockHash = readHash(receipt.blockHash, 'receipt.blockHash')
  if (readHash(receipt.transactionHash, 'receipt.transactionHash') !== hash) {
    throw session.inconsistent(`the receipt of another transaction than ${hash}`)
  }
  const logs = readLogs(receipt.logs, () => {
    throw session.inconsistent('a removed log')
  })
  if (logs.some((log) => log.blockHash !== blockHash || log.transactionHash !== hash)) {
    throw session.inconsistent(`foreign logs in the receipt of ${hash}`)
  }
  return {
    blockHash,
    logs: inLogOrder(logs).map(({ address, topics, data, transactionIndex, logIndex }): Log => {
      return { address, topics, data, transactionIndex, logIndex }
    }),
  }
}

/** Receipts from before Byzantium (EIP-658) tell no status; one with logs was not reverted. */
function hasSucceeded({ status, logs }: RpcObject): boolean {
  if (status === undefined || status === null) return Array.isArray(logs) && logs.length > 0
  return readQuantity(status, 'receipt.status') === 1
}

function missingReceipt({ endpoint }: Session, hash: Hex): EndpointFailure {
  return new EndpointFailure({
    endpoint: endpoint.masked,
    method: 'eth_getTransactionReceipt',
    verdict: { kind: 'not-yet' },
    detail: `the receipt of ${hash} is not there`,
  })
}

function transactionRequest(hash: Hex): RpcRequest {
  return { method: 'eth_getTransactionByHash', params: [hash] }
}

function receiptRequest(hash: Hex): RpcRequest {
  return { method: 'eth_getTransactionReceipt', params: [hash] }
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
