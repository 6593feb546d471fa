import type { Address, Hex, NetworkName } from '@dexfeed/dex'

interface RecordedLog {
  address: Address
  topics: Hex[]
  data: Hex
  index: number
}

export interface RecordedTransaction {
  hash: Hex
  from: Address
  to: Address | null
  value: Hex
  index: number
  status: number
  logs: RecordedLog[]
}

export interface RecordedBlock {
  number: number
  hash: Hex
  parentHash: Hex
  timestamp: number
  transactions: RecordedTransaction[]
  appended?: Record<string, Hex>
}

export interface Recording {
  network: NetworkName
  blocks: RecordedBlock[]
  calls: Record<Address, Record<Hex, Hex>>
}
