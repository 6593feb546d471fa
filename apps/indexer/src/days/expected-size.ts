import { NETWORKS, type NetworkName } from '@dexfeed/dex'

/** Of a stored trade with its hops, candles and indexes, and of a trade in the lists of the last day. */
const [BYTES_PER_TRADE, LIST_BYTES_PER_TRADE] = [600, 700]

export interface ExpectedSize {
  tradesPerDay: number
  /** What the database grows by. */
  bytesPerDay: number
  /** What the API's lists take. */
  listBytes: number
}

/** Returns about how much the networks take. */
export function expectedSize(networks: readonly NetworkName[]): ExpectedSize {
  const tradesPerDay = networks.reduce((sum, network) => sum + (NETWORKS[network].busyDayTrades ?? 0), 0)
  return {
    tradesPerDay,
    bytesPerDay: tradesPerDay * BYTES_PER_TRADE,
    listBytes: tradesPerDay * LIST_BYTES_PER_TRADE,
  }
}
