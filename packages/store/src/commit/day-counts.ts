import { type Address, dayOf, type PricedTrade } from '@dexfeed/dex'

/** What trades add to the counters of their days. */
export interface DayCounts {
  totals: DayTotalCount[]
  /** Trades without a trader count for none. */
  traders: DayTraderCount[]
}

export interface DayTotalCount {
  /** Days since 1970, UTC. */
  day: number
  swaps: number
  unpriced: number
  flagged: number
  volumeE8: bigint
}

export interface DayTraderCount {
  day: number
  trader: Address
  swaps: number
}

export const NO_COUNTS: DayCounts = { totals: [], traders: [] }

/** Counts trades by the UTC day of their block. */
export function countDays(trades: readonly PricedTrade[]): DayCounts {
  const totals = new Map<number, DayTotalCount>()
  const traders = new Map<number, Map<Address, number>>()
  for (const trade of trades) {
    const day = dayOf(trade.timestamp)
    const total = totals.get(day) ?? { day, swaps: 0, unpriced: 0, flagged: 0, volumeE8: 0n }
    totals.set(day, total)
    total.swaps += 1
    total.unpriced += trade.usdE8 === null ? 1 : 0
    total.flagged += trade.flags === 0 ? 0 : 1
    total.volumeE8 += trade.usdE8 ?? 0n
    if (trade.trader === null) continue
    const ofDay = traders.get(day) ?? new Map<Address, number>()
    traders.set(day, ofDay)
    ofDay.set(trade.trader, (ofDay.get(trade.trader) ?? 0) + 1)
  }
  return {
    totals: [...totals.values()],
    traders: [...traders].flatMap(([day, ofDay]) => [...ofDay].map(([trader, swaps]) => ({ day, trader, swaps }))),
  }
}
