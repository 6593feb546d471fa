import type { Candle } from '@dexfeed/client'
import { compareDecimals } from '../format/decimal.ts'

/** A candle as it is drawn. Prices are null where none is known, the volume if no swap has a known value. */
export interface DrawnCandle {
  time: string
  prices: { open: string; high: string; low: string; close: string } | null
  volumeUsd: string | null
}

/**
 * Returns candles, oldest first, of which each opens where the one before closed. So a change between two intervals is
 * part of a candle and not a gap; high and low reach at least that far.
 *
 * @param candles newest first, as the API lists them
 */
export function continuousCandles(candles: readonly Candle[]): DrawnCandle[] {
  let before: string | null = null
  return candles.toReversed().map((candle) => {
    const prices = pricesOf(candle, before)
    before = prices?.close ?? before
    const isUnvalued = candle.swaps > 0 && candle.unpriced_swaps === candle.swaps
    return { time: candle.time, prices, volumeUsd: isUnvalued ? null : candle.volume_usd }
  })
}

function pricesOf({ open: first, high, low, close }: Candle, before: string | null): DrawnCandle['prices'] {
  if (first === null || high === null || low === null || close === null) return null
  const open = before ?? first
  return {
    open,
    high: compareDecimals(open, high) > 0 ? open : high,
    low: compareDecimals(open, low) < 0 ? open : low,
    close,
  }
}
