import type {
  Address,
  BlockHeader,
  DropReason,
  Hex,
  Hop,
  PoolAddress,
  PricedTrade,
  ReceiptFlows,
  Token,
} from '@dexfeed/dex'

export interface Explanation {
  hash: Hex
  block: BlockHeader
  transactionIndex: number
  /** Null if no account signed it. */
  trader: Address | null
  /** False if it was reverted and changed nothing. */
  succeeded: boolean
  hops: readonly Hop[]
  /** All of them. A trade with a token of unknown decimals cannot be listed. */
  trades: readonly PricedTrade[]
  dropped: readonly DroppedLog[]
  /** What each account gave and got, according to the receipt. */
  flows: ReceiptFlows
}

/** Why a log that looks like a pool's swap is not a hop. */
export type LogDropReason = DropReason | 'not-moved' | 'not-authentic' | 'malformed'

export interface DroppedLog {
  logIndex: number
  /** The pool; for a malformed log, the emitter. */
  pool: PoolAddress
  reason: LogDropReason
}

export interface Unexplained {
  hash: Hex
  problem: string
}

export type TokenOf = (address: Address) => Token | undefined
