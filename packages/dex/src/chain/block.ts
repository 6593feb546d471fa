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
  /** The account that signed it; null if the chain reports a log without its transaction (Polygon state sync). */
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
  /** True if its receipts log every coin transfer (EIP-7708), as the fork's header fields show; absent otherwise. */
  logsEther?: true
}

/** One block with the requested logs, in log order, and the transactions that emitted them. */
export interface Block extends BlockHeader {
  logs: readonly Log[]
  /** By transaction index; only transactions with a log in `logs`. */
  transactions: ReadonlyMap<number, Transaction>
  /** The logs are proven to be all logs that the block's hash commits to; unset: reported by the node without proof. */
  isProven?: boolean
  /** Every log of a transaction, in log order, if whole receipts were read. */
  receipts?: Receipts
}

/** The receipts of a block's transactions, parsed on request. */
export interface Receipts {
  /** Returns null if the receipts of this transaction were not read. */
  logsOf(transactionIndex: number): readonly Log[] | null
  /** All transactions of the block, in order; absent if only some receipts were read. */
  transactions?(): readonly Transaction[]
}

/** Groups the logs of one block by transaction index; keeps their order. */
export function logsByTransaction(logs: readonly Log[]): Map<number, Log[]> {
  const found = new Map<number, Log[]>()
  for (const log of logs) {
    const known = found.get(log.transactionIndex)
    if (known === undefined) found.set(log.transactionIndex, [log])
    else known.push(log)
  }
  return found
}

/** Returns the last final block: the lower of `tagged` (null if the node reports none) and the deep enough one. */
export function finalBelow(head: number, tagged: number | null, finalityDepth: number): number {
  return Math.max(0, Math.min(tagged ?? head, head - finalityDepth))
}
