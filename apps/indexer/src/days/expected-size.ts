import { NETWORKS, type NetworkName } from '@dexfeed/dex'

/** Of a stored trade with its hops, candles and indexes. */
const BYTES_PER_TRADE = 600
/** In the lists of the last day. */
const LIST_BYTES_PER_TRADE = 700

export interface ExpectedSize {
  tradesPerDay: number
  /** How much the database grows per day. */
  bytesPerDay: number
  /** The size of the API's lists. */
  listBytes: number
}

/** Returns about how much the networks take on busy days, without those whose trades were not measured. */
export function expectedSize(networks: readonly NetworkName[]): ExpectedSize {
  const trades = networks.flatMap((network) => NETWORKS[network].busyDayTrades ?? [])
  const tradesPerDay = trades.reduce((sum, ofNetwork) => sum + ofNetwork, 0)
  return {
    tradesPerDay,
    bytesPerDay: tradesPerDay * BYTES_PER_TRADE,
    listBytes: tradesPerDay * LIST_BYTES_PER_TRADE,
  }
}
