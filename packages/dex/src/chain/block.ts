import { Groups } from '../totals.ts'
import type { Address, Hex } from './hex.ts'

/** An event log, as far as decoding needs it. */
export interface Log {
  address: Address
  topics: readonly Hex[]
  data: Hex
  transactionIndex: number
  logIndex: number
}

/** A transaction with a log in the range. */
export interface Transaction {
  hash: Hex
  /** Null if the chain reports a log without its transaction (Polygon state sync). */
  from: Address | null
  /** Coins that it sent, in wei. */
  value: bigint
}

export interface BlockHeader {
  number: number
  hash: Hex
  parentHash: Hex
  /** Seconds since 1970, UTC. */
  timestamp: number
  /** Its receipts log every coin transfer (EIP-7708), as the fork's header fields show. */
  logsEther?: true
}

/** A block with the requested logs, in log order. */
export interface Block extends BlockHeader {
  logs: readonly Log[]
  /** By transaction index; only of transactions in `logs`. */
  transactions: ReadonlyMap<number, Transaction>
  /** The block's hash commits to these logs and no others; unset: reported by the node without proof. */
  isProven?: boolean
  /** Every log of a transaction, if whole receipts were read. */
  receipts?: Receipts
}

/** Parsed on request. `logsOf` returns null if a transaction's receipt was not read. */
export interface Receipts {
  logsOf(transactionIndex: number): readonly Log[] | null
  /** In order; absent if only some receipts were read. */
  transactions?(): readonly Transaction[]
}

/** Returns the logs of one block by transaction index, in their order. */
export function logsByTransaction(logs: readonly Log[]): Map<number, Log[]> {
  const byTransaction = new Groups<number, Log>()
  for (const log of logs) byTransaction.add(log.transactionIndex, log)
  return byTransaction
}

/** Returns the last final block: the lower of `tagged` (null: the node reports none) and the deep enough one. */
export function finalBelow(head: number, tagged: number | null, finalityDepth: number): number {
  return Math.max(0, Math.min(tagged ?? head, head - finalityDepth))
}
