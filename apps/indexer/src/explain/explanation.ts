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

/** What was found in one transaction. */
export interface Explanation {
  hash: Hex
  block: BlockHeader
  transactionIndex: number
  /** Null: nobody signed it. */
  trader: Address | null
  /** False: it was reverted, and so did nothing. */
  succeeded: boolean
  hops: readonly Hop[]
  /** All of them; one with a token whose decimals are unknown cannot be listed. */
  trades: readonly PricedTrade[]
  dropped: readonly DroppedLog[]
  /** What its receipt tells of who gave and got what. */
  flows: ReceiptFlows
}

/** Why a log that looks like a pool's swap is no hop. */
export type LogDropReason = DropReason | 'not-moved' | 'not-authentic' | 'malformed'

export interface DroppedLog {
  logIndex: number
  /** Whose log it is: a pool's, or for a malformed one just the emitter's. */
  pool: PoolAddress
  reason: LogDropReason
}

/** Why a transaction cannot be explained. */
export interface Unexplained {
  hash: Hex
  problem: string
}

/** The tokens that explanations speak of. */
export type TokenOf = (address: Address) => Token | undefined
