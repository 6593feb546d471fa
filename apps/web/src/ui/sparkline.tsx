import { toneOf } from './figures.tsx'

const WIDTH = 100
const HEIGHT = 28

/** A part of the price: less is drawn as less than the whole height, so that a stablecoin looks like one. */
const LEAST_SPAN = 0.01

interface SparklineProps {
  /** In order of time. */
  prices: readonly string[]
  /** Its sign gives the colour. */
  change: string | null
}

/** Draws prices without a scale: the column next to it has the change. */
export function Sparkline({ prices, change }: SparklineProps) {
  const values = prices.map(Number)
  if (values.length < 2) return null
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const middle = (low + high) / 2
  // All prices may be 0.
  const span = Math.max(high - low, LEAST_SPAN * middle) || 1
  const points = values.map((value, at) => {
    const x = (at / (values.length - 1)) * WIDTH
    const y = HEIGHT / 2 - ((value - middle) / span) * (HEIGHT - 4)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg
      class={`spark ${toneOf(change ?? '0')}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
