import type { Address, Hex } from '@dexfeed/dex'

/** A log without its place in a block. */
export interface DraftLog {
  address: Address
  topics: readonly Hex[]
  data: Hex
}

/** A transaction and its outcome, without its place and hash. */
export interface DraftTransaction {
  from: Address
  to: Address
  /** Base units of the coin. */
  value: bigint
  type: 0 | 2
  succeeded: boolean
  gasUsed: number
  logs: readonly DraftLog[]
}
