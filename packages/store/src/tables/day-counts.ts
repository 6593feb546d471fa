import { type Address, dayOf, HOUR_S, type PricedTrade } from '@dexfeed/dex'

export interface DayCounts {
  totals: DayTotalCount[]
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

export const ALL_TRADES = ''

export interface HourCount {
  hour: number
  protocol: string
  trades: number
  unpriced: number
  usdE8: bigint
}

function countHours(trades: readonly PricedTrade[]): HourCount[] {
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
    const count = this.#countOf(hour, protocol)
    count.trades += 1
    if (usdE8 === null) count.unpriced += 1
    else count.usdE8 += usdE8
  }

  add({ hour, protocol, trades, unpriced, usdE8 }: HourCount): void {
    const count = this.#countOf(hour, protocol)
    count.trades += trades
    count.unpriced += unpriced
    count.usdE8 += usdE8
  }

  #countOf(hour: number, protocol: string): HourCount {
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
    return count
  }

  all(): HourCount[] {
    return [...this.#hours.values()].flatMap((ofHour) => [...ofHour.values()])
  }
}
