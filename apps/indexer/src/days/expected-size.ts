import { NETWORKS, type NetworkName } from '@dexfeed/dex'

/** Disk per stored trade, with its hops, candles and indexes. */
const BYTES_PER_TRADE = 600
const LIST_BYTES_PER_TRADE = 700

export interface ExpectedSize {
  tradesPerDay: number
  bytesPerDay: number
  listBytes: number
}

export function expectedSize(networks: readonly NetworkName[]): ExpectedSize {
  const trades = networks.flatMap((network) => NETWORKS[network].busyDayTrades ?? [])
  const tradesPerDay = trades.reduce((sum, ofNetwork) => sum + ofNetwork, 0)
  return {
    tradesPerDay,
    bytesPerDay: tradesPerDay * BYTES_PER_TRADE,
    listBytes: tradesPerDay * LIST_BYTES_PER_TRADE,
  }
}
