import type { Address, Hex } from '@dexfeed/dex'

export interface DraftLog {
  address: Address
  topics: readonly Hex[]
  data: Hex
}

export interface DraftTransaction {
  from: Address
  to: Address
  value: bigint
  type: 0 | 2
  succeeded: boolean
  gasUsed: number
  logs: readonly DraftLog[]
}
