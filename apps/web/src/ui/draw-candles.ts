import {
  CandlestickSeries,
  type ChartOptions,
  createChart,
  type DeepPartial,
  HistogramSeries,
  type ISeriesApi,
  LineSeries,
  type UTCTimestamp,
} from 'lightweight-charts'
import type { Liquidity, LiquidityHistory } from '../data/use-liquidity.ts'
import { significantText } from '../format/decimal.ts'
import type { DrawnCandle } from './continuous-candles.ts'

const VOLUME_SHARE = 0.2
/** Of the height of the chart, compared with the candles. */
const LIQUIDITY_SHARE = 0.25
const PRICE_DIGITS = 6
/** In pixels. */
const CANDLE_WIDTH = 8
/** Asks for older candles while this many are left of what is shown. */
const OLDER_BEFORE = 20

interface ChartEvents {
  /** The candle under the pointer, by its position; null if the pointer leaves. */
  onPoint: (at: number | null) => void
  /** The user comes near the oldest candle. */
  onOldest: () => void
}

export interface CandlesOnChart {
  /** Draws liquidity, if any is known, below the candles. */
  show(candles: readonly DrawnCandle[], liquidity: LiquidityHistory): void
  remove(): void
}

export function openChart(place: HTMLElement, { onPoint, onOldest }: ChartEvents): CandlesOnChart {
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
  let liquidity: { net: ISeriesApi<'Histogram'>; held: ISeriesApi<'Line'> } | null = null
  const addLiquidity = () => {
    const plain = { priceFormat: { type: 'volume' }, lastValueVisible: false, priceLineVisible: false } as const
    const net = chart.addSeries(HistogramSeries, { ...plain, priceScaleId: '' }, 1)
    const held = chart.addSeries(LineSeries, { ...plain, color: color('accent'), lineWidth: 2 }, 1)
    chart.panes()[1]?.setStretchFactor(LIQUIDITY_SHARE)
    return { net, held }
  }
  const showLiquidity = (candles: readonly DrawnCandle[], history: LiquidityHistory) => {
    if (history.size === 0 && liquidity === null) return
    liquidity ??= addLiquidity()
    const of = (candle: DrawnCandle, figure: keyof Liquidity) => history.get(candle.time)?.[figure] ?? null
    liquidity.net.setData(
      candles.map((candle) => {
        const net = of(candle, 'net')
        const value = Number(net)
        return net === null ? { time: timeOf(candle) } : { time: timeOf(candle), value, color: value < 0 ? down : up }
      }),
    )
    liquidity.held.setData(
      candles.map((candle) => {
        const held = of(candle, 'held')
        return held === null ? { time: timeOf(candle) } : { time: timeOf(candle), value: Number(held) }
      }),
    )
  }
  let shown: readonly DrawnCandle[] = []
  chart.subscribeCrosshairMove(({ time, logical }) => onPoint(time === undefined ? null : (logical ?? null)))
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (range !== null && shown.length > 0 && range.from < OLDER_BEFORE) onOldest()
  })
  const show: CandlesOnChart['show'] = (candles, history) => {
    const range = chart.timeScale().getVisibleLogicalRange()
    const added = shown.length === 0 ? null : addedBefore(candles, shown)
    shown = candles
    prices.applyOptions({ priceFormat: priceFormatOf(candles) })
    prices.setData(candles.map(priceOf))
    volume.setData(candles.map(volumeOf))
    showLiquidity(candles, history)
    if (range === null || added === null) {
      const count = place.clientWidth / CANDLE_WIDTH
      chart.timeScale().setVisibleLogicalRange({ from: candles.length - count, to: candles.length + 2 })
    } else if (added > 0) {
      // What the user looks at stays in its place.
      chart.timeScale().setVisibleLogicalRange({ from: range.from + added, to: range.to + added })
    }
  }
  return { show, remove: () => chart.remove() }
}

/** Returns how many candles are older than the oldest one that was shown. */
function addedBefore(candles: readonly DrawnCandle[], shown: readonly DrawnCandle[]): number {
  const oldest = shown[0]?.time
  return Math.max(
    0,
    candles.findIndex(({ time }) => time === oldest),
  )
}

/** Numbers are precise enough for positions on the screen. The legend above the chart is exact. */
function priceOf(candle: DrawnCandle) {
  const time = timeOf(candle)
  if (candle.prices === null) return { time }
  const { open, high, low, close } = candle.prices
  return { time, open: Number(open), high: Number(high), low: Number(low), close: Number(close) }
}

function volumeOf(candle: DrawnCandle) {
  const time = timeOf(candle)
  return candle.volumeUsd === null ? { time } : { time, value: Number(candle.volumeUsd) }
}

function timeOf({ time }: DrawnCandle): UTCTimestamp {
  return (Date.parse(time) / 1_000) as UTCTimestamp
}

/** Shows prices of any size by their significant digits: two decimals would turn small ones into zero. */
function priceFormatOf(candles: readonly DrawnCandle[]) {
  const close = Number(candles.findLast(({ prices }) => prices !== null)?.prices?.close ?? 1)
  const magnitude = close > 0 ? Math.floor(Math.log10(close)) : 0
  const formatter = (price: number) => significantText(price.toFixed(20), PRICE_DIGITS)
  return { type: 'custom', formatter, minMove: 10 ** (magnitude - PRICE_DIGITS + 2) } as const
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
    crosshair: { mode: 0 },
    // A finger on the chart scrolls the page.
    handleScroll: { vertTouchDrag: false },
  }
}
