import type { Candle } from '@dexfeed/client'
import { useEffect, useRef } from 'preact/hooks'
import { theme } from '../state/theme.ts'

interface CandleChartProps {
  /** Newest first, as the API lists them. */
  candles: readonly Candle[]
  /** For screen readers. */
  label: string
}

/** Draws candles and volume with a library that loads with the first chart. */
export function CandleChart({ candles, label }: CandleChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const shade = theme()
  useEffect(() => {
    let remove: (() => void) | null = null
    let isWanted = true
    void import('./draw-candles.ts').then(({ drawCandles }) => {
      if (isWanted && place.current !== null) remove = drawCandles(place.current, candles)
    })
    return () => {
      isWanted = false
      remove?.()
    }
  }, [candles, shade])
  return <div class="chart" ref={place} role="img" aria-label={label} />
}
