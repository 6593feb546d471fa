import type { Candle, IndexedNetwork } from '@dexfeed/store'

export interface ShownCandle extends Candle {
  isFilled: boolean
}

/** The sums of a candle without swaps. */
export const NO_SUMS = {
  volumeUsd: '0.00000000',
  trades: 0,
  unpriced: 0,
  buys: 0,
  sells: 0,
  buyVolumeUsd: '0.00000000',
  sellVolumeUsd: '0.00000000',
}

/**
 * Returns a candle for each interval of a span, with the last close as the prices of those without any. Leaves out
 * intervals before the first price, and empty ones of which not every block up to the head is indexed.
 *
 * @param close of the last candle before the span; null if there is none
 */
export function filled(
  candles: readonly Candle[],
  { from, to, interval }: { from: number; to: number; interval: number },
  close: string | null,
  indexed: Pick<IndexedNetwork, 'covered' | 'head'>,
): ShownCandle[] {
  const found = new Map(candles.map((candle) => [candle.time, candle]))
  const shown: ShownCandle[] = []
  let last = close
  for (let time = from; time < to; time += interval) {
    const candle = found.get(time)
    if (candle !== undefined && (candle.close !== null || last === null)) {
      shown.push({ ...candle, isFilled: false })
      last = candle.close
    } else if (last !== null && (candle !== undefined || isCovered(indexed, time, time + interval))) {
      const prices = { open: last, high: last, low: last, close: last }
      shown.push({ ...(candle ?? { time, ...NO_SUMS }), ...prices, isWeighted: null, isFilled: true })
    }
  }
  return shown
}

/** Blocks before the first of a range may share its second. */
function isCovered({ covered, head }: Pick<IndexedNetwork, 'covered' | 'head'>, from: number, to: number): boolean {
  if (head === null || from > head.timestamp) return false
  const end = Math.min(to, head.timestamp)
  return covered.some((range) => (range.fromTime < from || range.from === 0) && range.toTime >= end)
}
