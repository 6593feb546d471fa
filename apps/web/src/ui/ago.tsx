import { useComputed } from '@preact/signals'
import { durationText, utcText } from '../format/time.ts'
import { clock } from '../state/clock.ts'

interface AgoProps {
  /** Either an ISO time or milliseconds. */
  iso?: string
  ms?: number
}

/** Shows the time since a moment and keeps it current. The title shows the moment itself. */
export function Ago({ iso, ms }: AgoProps) {
  const time = ms ?? Date.parse(iso ?? '')
  const text = useComputed(() => durationText((clock.value - time) / 1_000))
  const whole = new Date(time).toISOString()
  return (
    <time dateTime={whole} title={utcText(whole)}>
      {text}
    </time>
  )
}
