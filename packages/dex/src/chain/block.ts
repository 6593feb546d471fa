import type { Address, Hex } from './hex.ts'

/** An event log of a canonical block, as far as decoding needs it. */
export interface Log {
  address: Address
  topics: readonly Hex[]
  data: Hex
  transactionIndex: number
  logIndex: number
}

/** A transaction that emitted at least one log of the range. */
export interface Transaction {
  hash: Hex
  /** The account that signed it; null where a chain reports a log without its transaction (Polygon state sync). */
  from: Address | null
  /** Coins sent along, in wei. */
  value: bigint
}

export interface BlockHeader {
  number: number
  hash: Hex
  parentHash: Hex
  /** Seconds since 1970, UTC. */
  timestamp: number
  /** Its receipts log every move of coins (EIP-7708), as the fork's fields of the header show; absent: they do not. */
  logsEther?: true
}

/** One block with the logs that were asked for, in log order, and the transactions that emitted them. */
export interface Block extends BlockHeader {
  logs: readonly Log[]
  /** By transaction index; only transactions with a log in `logs`. */
  transactions: ReadonlyMap<number, Transaction>
  /** Whether the logs are all that the block's hash commits to; unset: the node's word. */
  isProven?: boolean
  /** Where whole receipts were read: every log of a transaction, in log order. */
  receipts?: Receipts
}

/** The receipts of a block's transactions, of which only those asked for are read. */
export interface Receipts {
  /** Null: the receipts of this transaction were not read. */
  logsOf(transactionIndex: number): readonly Log[] | null
  /** All transactions of the block, in its order; absent where only some receipts were read. */
  transactions?(): readonly Transaction[]
}

/** Logs of one block by their transaction's index, each list in the order given. */
export function logsByTransaction(logs: readonly Log[]): Map<number, Log[]> {
  const found = new Map<number, Log[]>()
  for (const log of logs) {
    const known = found.get(log.transactionIndex)
    if (known === undefined) found.set(log.transactionIndex, [log])
    else known.push(log)
  }
  return found
}

/**
 * The last final block below a head: what the node calls final and what lies deep enough, whichever is lower.
 *
 * @param tagged the node's own final block; null where it names none
 */
export function finalBelow(head: number, tagged: number | null, finalityDepth: number): number {
  return Math.max(0, Math.min(tagged ?? head, head - finalityDepth))
}
