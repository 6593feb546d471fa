import type { Candle } from '@dexfeed/client'
import {
  CandlestickSeries,
  type ChartOptions,
  createChart,
  type DeepPartial,
  HistogramSeries,
  type UTCTimestamp,
} from 'lightweight-charts'

const VOLUME_SHARE = 0.2

export function drawCandles(place: HTMLElement, candles: readonly Candle[]): () => void {
  const style = getComputedStyle(place)
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const chart = createChart(place, optionsOf(color))
  const up = color('up')
  const down = color('down')
  const prices = chart.addSeries(CandlestickSeries, {
    upColor: up,
    downColor: down,
    wickUpColor: up,
    wickDownColor: down,
    borderVisible: false,
  })
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    color: color('volume'),
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volume.priceScale().applyOptions({ scaleMargins: { top: 1 - VOLUME_SHARE, bottom: 0 } })
  const oldestFirst = [...candles].reverse()
  prices.setData(oldestFirst.map(priceOf))
  volume.setData(oldestFirst.map((candle) => ({ time: timeOf(candle), value: Number(candle.volume_usd) })))
  chart.timeScale().fitContent()
  return () => chart.remove()
}

/** Numbers are precise enough for positions on the screen. The figures next to the chart are exact. */
function priceOf(candle: Candle) {
  const { open, high, low, close } = candle
  const time = timeOf(candle)
  if (open === null || high === null || low === null || close === null) return { time }
  return { time, open: Number(open), high: Number(high), low: Number(low), close: Number(close) }
}

function timeOf({ time }: Candle): UTCTimestamp {
  return (Date.parse(time) / 1_000) as UTCTimestamp
}

function optionsOf(color: (name: string) => string): DeepPartial<ChartOptions> {
  const lines = { color: color('line') }
  return {
    autoSize: true,
    // The logo's inline style would break the page's content security policy. The footer has the link.
    layout: { background: { color: 'transparent' }, textColor: color('muted'), attributionLogo: false, fontSize: 12 },
    grid: { vertLines: { visible: false }, horzLines: lines },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderVisible: false, timeVisible: true, secondsVisible: false },
  }
}
