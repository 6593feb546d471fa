import { type Block, logsByTransaction, type Transaction } from '@dexfeed/dex'
import type { LogFilter } from '../../json-rpc/requests.ts'
import { readTransaction } from '../../json-rpc/rpc-block.ts'
import type { LogMatcher } from '../../json-rpc/rpc-log.ts'
import {
  MalformedResponse,
  type RpcObject,
  readArray,
  readHash,
  readObject,
  readWhole,
} from '../../json-rpc/rpc-value.ts'
import type { PortalLine } from './portal-line.ts'

const STATE_SYNC = 127

/** Returns the query for a Portal: every header, and all logs of each transaction with a matching log. */
export function portalQuery({ topics, emitters = [] }: LogFilter, { from, to }: { from: number; to: number }): object {
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

/** Builds the block of a line, whose logs and transactions may be in any order. @throws MalformedResponse */
export function portalBlock({ header, transactions = [], logs }: PortalLine, matcher: LogMatcher): Block {
  const { number, hash, parentHash, timestamp } = readObject(header, 'header')
  const shown = new Map<number, RpcObject>()
  for (const raw of readArray(transactions, 'transactions')) {
    const transaction = readObject(raw, 'transaction')
    shown.set(readWhole(transaction.transactionIndex, 'transactionIndex'), transaction)
  }
  const all = logs.toSorted((a, b) => a.logIndex - b.logIndex)
  const own = all.filter((log) => matcher.has(log))
  const receipts = logsByTransaction(all)
  const kept = new Map<number, Transaction>()
  own.forEach(({ transactionIndex, logIndex, transactionHash }, i) => {
    if (own[i - 1]?.logIndex === logIndex) throw new MalformedResponse({ field: 'log.logIndex', value: logIndex })
    const known = kept.get(transactionIndex) ?? transactionOf(shown.get(transactionIndex))
    if (known.hash !== transactionHash)
      throw new MalformedResponse({ field: 'log.transactionHash', value: transactionHash })
    kept.set(transactionIndex, known)
  })
  return {
    number: readWhole(number, 'header.number'),
    hash: readHash(hash, 'header.hash'),
    parentHash: readHash(parentHash, 'header.parentHash'),
    timestamp: readWhole(timestamp, 'header.timestamp'),
    logs: own,
    transactions: kept,
    receipts: { logsOf: (transactionIndex) => receipts.get(transactionIndex) ?? null },
  }
}

function transactionOf(raw: RpcObject | undefined): Transaction {
  const transaction = readObject(raw, 'transaction of a log')
  const { hash, type, value } = transaction
  const isStateSync = type !== undefined && type !== null && Number(type) === STATE_SYNC
  // Some archives write decimal digits.
  const amount = typeof value === 'string' && /^\d+$/.test(value) ? `0x${BigInt(value).toString(16)}` : value
  return readTransaction(
    { ...transaction, type: isStateSync ? '0x7f' : undefined, value: amount },
    readHash(hash, 'transaction.hash'),
  )
}
