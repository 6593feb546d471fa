import { Groups } from '../totals.ts'
import type { Address, Hex } from './hex.ts'

export interface Log {
  address: Address
  topics: readonly Hex[]
  data: Hex
  transactionIndex: number
  logIndex: number
}

export interface Transaction {
  hash: Hex
  /** Null if the chain reports a log without its transaction (Polygon's state sync). */
  from: Address | null
  /** Coins that it sent, in wei. */
  value: bigint
}

export interface BlockHeader {
  number: number
  hash: Hex
  parentHash: Hex
  /** Seconds since 1970 (UTC). */
  timestamp: number
  /** The receipts log every coin transfer (EIP-7708), as the fork's header fields show. */
  logsEther?: true
}

export interface Block extends BlockHeader {
  logs: readonly Log[]
  /** By transaction index; contains only transactions with a log in `logs`. */
  transactions: ReadonlyMap<number, Transaction>
  /** Whether the block's hash commits to exactly these logs. If unset, the node reported them without proof. */
  isProven?: boolean
  receipts?: Receipts
}

/** Receipts that are parsed on request. `logsOf` returns null if a transaction's receipt was not read. */
export interface Receipts {
  logsOf(transactionIndex: number): readonly Log[] | null
  /** In order; absent if only some receipts were read. */
  transactions?(): readonly Transaction[]
}

export function logsByTransaction(logs: readonly Log[]): Map<number, Log[]> {
  const byTransaction = new Groups<number, Log>()
  for (const log of logs) byTransaction.add(log.transactionIndex, log)
  return byTransaction
}

/**
 * Returns the last final block: the lower of `tagged` (null if the node reports none) and the block `finalityDepth`
 * below the head.
 */
export function finalBelow(head: number, tagged: number | null, finalityDepth: number): number {
  return Math.max(0, Math.min(tagged ?? head, head - finalityDepth))
}
