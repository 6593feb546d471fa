import { HOUR_S, type PricedTrade } from '@dexfeed/dex'

/** The protocol under which all trades of the network are counted. */
export const ALL_TRADES = ''

export interface HourCount {
  hour: number
  /** Name of a DEX, or ALL_TRADES. */
  protocol: string
  trades: number
  unpriced: number
  usdE8: bigint
}

/** Counts trades, and their hops by protocol, by the hour of their block. */
export function countHours(trades: readonly PricedTrade[]): HourCount[] {
  const hours = new HourCounts()
  for (const { timestamp, usdE8, hops, hopsUsdE8 } of trades) {
    const hour = timestamp - (timestamp % HOUR_S)
    hours.count(hour, ALL_TRADES, usdE8)
    for (const [index, { pool }] of hops.entries()) {
      hours.count(hour, pool.dex.name, hopsUsdE8[index] ?? null)
    }
  }
  return hours.all()
}

export class HourCounts {
  readonly #hours = new Map<number, Map<string, HourCount>>()

  count(hour: number, protocol: string, usdE8: bigint | null): void {
    if (usdE8 === null) this.add(hour, protocol, 1, 1, 0n)
    else this.add(hour, protocol, 1, 0, usdE8)
  }

  add(hour: number, protocol: string, trades: number, unpriced: number, usdE8: bigint): void {
    let ofHour = this.#hours.get(hour)
    if (ofHour === undefined) {
      ofHour = new Map()
      this.#hours.set(hour, ofHour)
    }
    let count = ofHour.get(protocol)
    if (count === undefined) {
      count = { hour, protocol, trades: 0, unpriced: 0, usdE8: 0n }
      ofHour.set(protocol, count)
    }
    count.trades += trades
    count.unpriced += unpriced
    count.usdE8 += usdE8
  }

  all(): HourCount[] {
    return [...this.#hours.values()].flatMap((ofHour) => [...ofHour.values()])
  }
}
