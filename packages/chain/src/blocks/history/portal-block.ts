import { type Block, type Hex, type Log, logsByTransaction, type Transaction } from '@dexfeed/dex'
import { readTransaction } from '../../json-rpc/rpc-block.ts'
import { isWanted } from '../../json-rpc/rpc-log.ts'
import {
  MalformedAnswer,
  type RpcObject,
  readAddress,
  readArray,
  readBytes,
  readHash,
  readObject,
} from '../../json-rpc/rpc-value.ts'

const STATE_SYNC = 127

/** What is asked of a Portal: every header, and of each transaction with a wanted log all of its logs. */
export function portalQuery(topics: readonly Hex[], { from, to }: { from: number; to: number }): object {
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
    logs: [{ topic0: topics, transaction: true, transactionLogs: true }],
  }
}

/**
 * Reads a line of a Portal's answer; logs and transactions may stand in it in any order.
 *
 * @throws MalformedAnswer
 */
export function readPortalBlock(line: unknown, wanted: ReadonlySet<string>): Block {
  const { header, transactions = [], logs = [] } = readObject(line, 'line')
  const { number, hash, parentHash, timestamp } = readObject(header, 'header')
  const shown = new Map<number, RpcObject>()
  for (const raw of readArray(transactions, 'transactions')) {
    const transaction = readObject(raw, 'transaction')
    shown.set(readNumber(transaction.transactionIndex, 'transactionIndex'), transaction)
  }
  const all = readArray(logs, 'logs')
    .map((raw) => readObject(raw, 'log'))
    .map((raw) => ({
      log: readLog(raw),
      transactionHash: readHash(raw.transactionHash, 'log.transactionHash'),
      isWanted: isWanted(raw, wanted),
    }))
    .sort((a, b) => a.log.logIndex - b.log.logIndex)
  const own = all.filter((one) => one.isWanted)
  const receipts = logsByTransaction(all.map(({ log }) => log))
  const kept = new Map<number, Transaction>()
  own.forEach(({ log: { transactionIndex, logIndex }, transactionHash }, i) => {
    if (own[i - 1]?.log.logIndex === logIndex) throw new MalformedAnswer({ field: 'log.logIndex', value: logIndex })
    const known = kept.get(transactionIndex) ?? transactionOf(shown.get(transactionIndex))
    if (known.hash !== transactionHash)
      throw new MalformedAnswer({ field: 'log.transactionHash', value: transactionHash })
    kept.set(transactionIndex, known)
  })
  return {
    number: readNumber(number, 'header.number'),
    hash: readHash(hash, 'header.hash'),
    parentHash: readHash(parentHash, 'header.parentHash'),
    timestamp: readNumber(timestamp, 'header.timestamp'),
    logs: own.map(({ log }) => log),
    transactions: kept,
    receipts: { logsOf: (transactionIndex) => receipts.get(transactionIndex) ?? null },
  }
}

function readLog({ address, topics, data, transactionIndex, logIndex }: RpcObject): Log {
  return {
    address: readAddress(address, 'log.address'),
    topics: readArray(topics, 'log.topics').map((topic) => readHash(topic, 'log.topics')),
    data: readBytes(data, 'log.data'),
    transactionIndex: readNumber(transactionIndex, 'log.transactionIndex'),
    logIndex: readNumber(logIndex, 'log.logIndex'),
  }
}

function transactionOf(raw: RpcObject | undefined): Transaction {
  const transaction = readObject(raw, 'transaction of a log')
  const { hash, type, value } = transaction
  const isStateSync = type !== undefined && type !== null && Number(type) === STATE_SYNC
  // As decimal digits, too.
  const amount = typeof value === 'string' && /^\d+$/.test(value) ? `0x${BigInt(value).toString(16)}` : value
  return readTransaction(
    { ...transaction, type: isStateSync ? '0x7f' : undefined, value: amount },
    readHash(hash, 'transaction.hash'),
  )
}

/** Numbers come as such, or as text. */
function readNumber(value: unknown, field: string): number {
  const number = typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw new MalformedAnswer({ field, value })
}
