const WIDTH = 100
const HEIGHT = 28

/** Draws prices in order of time, without a scale: the column next to it has the change. */
export function Sparkline({ prices }: { prices: readonly string[] }) {
  const values = prices.map(Number)
  const first = values[0]
  const last = values.at(-1)
  if (first === undefined || last === undefined || values.length < 2) return null
  const low = Math.min(...values)
  const span = Math.max(...values) - low || 1
  const points = values.map((value, at) => {
    const x = (at / (values.length - 1)) * WIDTH
    const y = HEIGHT - 2 - ((value - low) / span) * (HEIGHT - 4)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  const tone = last > first ? 'up' : last < first ? 'down' : 'level'
  return (
    <svg class={`spark ${tone}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  )
}
