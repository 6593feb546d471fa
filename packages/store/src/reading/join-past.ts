import { usdE8Of, usdText } from '@dexfeed/dex'
import type { PoolPrices } from '../tables/rollups/median-price.ts'
import type { CandleRow, OrderFlow } from '../tables/rollups/merge-candles.ts'
import type { SideCandle } from '../tables/rollups/pool-candle.ts'
import type { TradedRow, VolumeRow } from '../tables/rollups/token-volume.ts'

// Only an interval that begins before the kept days and ends within them, a week, has rows of both.

export function joinTraded(old: readonly TradedRow[], kept: readonly TradedRow[]): TradedRow[] {
  return join(old, kept, (old, kept) => ({
    time: kept.time,
    ...sumsOf(old, kept),
    first: old.first ?? kept.first,
    last: kept.last ?? old.last,
  }))
}

export function joinCandles(old: readonly CandleRow[], kept: readonly CandleRow[]): CandleRow[] {
  return join(old, kept, (old, kept) => {
    const [first] = [old, kept].filter(isPriced).sort((a, b) => a.open_at - b.open_at)
    const [last] = [old, kept].filter(isPriced).sort((a, b) => b.close_at - a.close_at)
    return {
      time: kept.time,
      ...sumsOf(old, kept),
      ...{ open_at: first?.open_at ?? null, close_at: last?.close_at ?? null },
      ...{ open: first?.open ?? null, close: last?.close ?? null },
      high: highest(old.high, kept.high, 1),
      low: highest(old.low, kept.low, -1),
    }
  })
}

/** Hops of kept days come after those of old ones. */
export function joinSide(pool: string, old: SideCandle, kept: PoolPrices | undefined): PoolPrices {
  const prices = {
    ...{ pool, open: BigInt(old.open), high: BigInt(old.high), low: BigInt(old.low), close: BigInt(old.close) },
    ...{ first: old.first, last: old.last },
  }
  if (kept === undefined) return prices
  const { close, last } = kept
  const high = kept.high > prices.high ? kept.high : prices.high
  const low = kept.low < prices.low ? kept.low : prices.low
  return { ...prices, high, low, close, last }
}

function join<Row extends { time: number }>(
  old: readonly Row[],
  kept: readonly Row[],
  both: (old: Row, kept: Row) => Row,
): Row[] {
  const last = old.at(-1)
  const [first, ...later] = kept
  if (last === undefined || first === undefined || last.time < first.time) return [...old, ...kept]
  return [...old.slice(0, -1), both(last, first), ...later]
}

type Sums = Omit<VolumeRow, 'time'> & OrderFlow

function sumsOf(a: Sums, b: Sums): Sums {
  const usd = (a: string, b: string) => usdText(usdE8Of(a) + usdE8Of(b))
  return {
    trades: a.trades + b.trades,
    unpriced: a.unpriced + b.unpriced,
    volume: usd(a.volume, b.volume),
    buys: unlessNull(a.buys, b.buys, (a, b) => a + b),
    sells: unlessNull(a.sells, b.sells, (a, b) => a + b),
    buy_volume: unlessNull(a.buy_volume, b.buy_volume, usd),
    sell_volume: unlessNull(a.sell_volume, b.sell_volume, usd),
  }
}

function unlessNull<T>(a: T | null, b: T | null, sum: (a: T, b: T) => T): T | null {
  return a === null || b === null ? null : sum(a, b)
}

function isPriced(row: CandleRow): row is CandleRow & { open_at: number; close_at: number } {
  return row.open_at !== null && row.close_at !== null
}

/** @param sign -1 for the lowest */
function highest(a: string | null, b: string | null, sign: 1 | -1): string | null {
  if (a === null || b === null) return a ?? b
  return BigInt(a) > BigInt(b) === sign > 0 ? a : b
}
