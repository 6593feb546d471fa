import { type Address, dayOf, type PricedTrade } from '@dexfeed/dex'
import { countHours, type HourCount } from './hour-counts.ts'

export interface DayCounts {
  totals: DayTotalCount[]
  /** Trades without a trader count for no trader. */
  traders: TraderOfDay[]
  hours: HourCount[]
}

export interface DayTotalCount {
  day: number
  swaps: number
  unpriced: number
  flagged: number
  volumeE8: bigint
}

export interface TraderOfDay {
  day: number
  trader: Address
}

export const NO_COUNTS: DayCounts = { totals: [], traders: [], hours: [] }

export function countDays(trades: readonly PricedTrade[]): DayCounts {
  const totals = new Map<number, DayTotalCount>()
  const traders = new Map<number, Set<Address>>()
  for (const { timestamp, usdE8, flags, trader } of trades) {
    const day = dayOf(timestamp)
    const value = usdE8 === null ? { unpriced: 1, volumeE8: 0n } : { unpriced: 0, volumeE8: usdE8 }
    addTotal(totals, day, { swaps: 1, flagged: flags === 0 ? 0 : 1, ...value })
    if (trader === null) continue
    const ofDay = traders.get(day) ?? new Set()
    traders.set(day, ofDay)
    ofDay.add(trader)
  }
  return {
    totals: [...totals.values()],
    traders: [...traders].flatMap(([day, ofDay]) => [...ofDay].map((trader) => ({ day, trader }))),
    hours: countHours(trades),
  }
}

export function addTotal(totals: Map<number, DayTotalCount>, day: number, counted: Omit<DayTotalCount, 'day'>): void {
  const total = totals.get(day) ?? { day, swaps: 0, unpriced: 0, flagged: 0, volumeE8: 0n }
  totals.set(day, total)
  total.swaps += counted.swaps
  total.unpriced += counted.unpriced
  total.flagged += counted.flagged
  total.volumeE8 += counted.volumeE8
}
