import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { LiquidityHistory } from '../data/use-liquidity.ts'
import { theme } from '../state/theme.ts'
import type { DrawnCandle } from './continuous-candles.ts'
import type { CandlesOnChart } from './draw-candles.ts'
import { Amount, SignedUsd, UNKNOWN, Usd } from './figures.tsx'

interface CandleChartProps {
  /** Oldest first. */
  candles: readonly DrawnCandle[]
  liquidity: LiquidityHistory
  /** For screen readers. */
  label: string
  /** Reads older candles. */
  onOldest: () => void
}

/** Draws candles and volume with a library that loads with the first chart, and says in numbers what is pointed at. */
export function CandleChart({ candles, liquidity, label, onOldest }: CandleChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<CandlesOnChart | null>(null)
  const current = useRef({ candles, liquidity, onOldest })
  const pointed = useSignal<number | null>(null)
  current.current = { candles, liquidity, onOldest }
  const shade = theme()
  useEffect(() => {
    let isWanted = true
    void import('./draw-candles.ts').then(({ openChart }) => {
      if (!isWanted || place.current === null) return
      chart.current = openChart(place.current, {
        onPoint: (at) => {
          pointed.value = at
        },
        onOldest: () => current.current.onOldest(),
      })
      chart.current.show(current.current.candles, current.current.liquidity)
    })
    return () => {
      isWanted = false
      chart.current?.remove()
      chart.current = null
    }
  }, [shade])
  useEffect(() => chart.current?.show(candles, liquidity), [candles, liquidity])
  return (
    <>
      <Legend candle={candles[pointed.value ?? -1] ?? candles.at(-1)} liquidity={liquidity} />
      <div class="chart" ref={place} role="img" aria-label={label} />
    </>
  )
}

interface LegendProps {
  candle: DrawnCandle | undefined
  liquidity: LiquidityHistory
}

function Legend({ candle, liquidity }: LegendProps) {
  if (candle === undefined) return null
  const { time, prices, volumeUsd } = candle
  const moved = liquidity.get(time)
  const figure = (name: string, value: string | undefined) => (
    <span>
      <abbr title={name}>{name.slice(0, 1)}</abbr> {value === undefined ? UNKNOWN : <Amount value={value} />}
    </span>
  )
  return (
    <p class="legend">
      <time dateTime={time}>{time.slice(0, 16).replace('T', ' ')}</time>
      {figure('Open', prices?.open)}
      {figure('High', prices?.high)}
      {figure('Low', prices?.low)}
      {figure('Close', prices?.close)}
      <span>
        Vol <Usd value={volumeUsd} />
      </span>
      {moved !== undefined && (
        <span>
          Liquidity {moved.held !== null && <Usd value={moved.held} />} <SignedUsd value={moved.net} />
        </span>
      )}
    </p>
  )
}
