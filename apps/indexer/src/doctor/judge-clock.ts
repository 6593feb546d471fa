import type { EndpointSurvey } from '@dexfeed/chain'
import { SECOND } from '@dexfeed/dex'
import { durationText } from '../status/duration-text.ts'
import type { Finding } from './finding.ts'

const SMALL_S = 5
const LARGE_S = 20

/** Compares this machine's clock with the dates of responses or, without any, with the newest blocks. */
export function judgeClock(surveys: readonly EndpointSurvey[], now: number): Finding[] {
  const dated = surveys.flatMap(({ clockOffsetMs }) => (clockOffsetMs === null ? [] : [clockOffsetMs / SECOND]))
  // A block from the future shows that this clock is slow; an old block shows nothing.
  const ages = surveys.flatMap(({ head }) => (head === null ? [] : [now / SECOND - head.timestamp]))
  const early = ages.length > 0 ? Math.min(0, ...ages) : null
  const offset = medianOf(dated) ?? early
  const about = 'clock'
  if (offset === null) return []
  const size = Math.abs(offset)
  if (size <= SMALL_S) return [{ verdict: 'ok', about, message: 'agrees with the endpoints' }]
  return [
    {
      verdict: size >= LARGE_S ? 'fail' : 'warn',
      about,
      message: `is ${durationText(size)} ${offset > 0 ? 'fast' : 'slow'} by the clocks of the endpoints`,
      meaning: 'the last 24 hours and the age of prices are off by as much',
      advice: 'synchronise it: enable NTP (timedatectl set-ntp true), and check the clock of the virtual machine',
    },
  ]
}

function medianOf(values: readonly number[]): number | null {
  return values.toSorted((number, other) => number - other)[values.length >> 1] ?? null
}
