import { COMING_FORKS, DAY_S, FORKS_AS_OF, type NetworkName, SECOND } from '@dexfeed/dex'
import { durationText } from '../status/duration-text.ts'
import type { Finding } from './finding.ts'

/** Forks are announced months ahead, so an older calendar may lack one. */
const CALENDAR_S = 120 * DAY_S

/** @param now milliseconds since 1970 */
export function checkForks(networks: readonly NetworkName[], now: number): Finding[] {
  const seconds = now / SECOND
  const coming = COMING_FORKS.filter(({ network, at }) => networks.includes(network) && (at === null || at > seconds))
  const findings = coming.map(({ network, name, at }): Finding => {
    const date = at === null ? 'without a date yet' : `on ${new Date(at * SECOND).toISOString().slice(0, 16)} UTC`
    const message = `${name} is announced ${date}; this version supports it. Update the node before the fork`
    return { verdict: 'ok', about: `${network} forks`, message }
  })
  const age = seconds - FORKS_AS_OF
  if (age < CALENDAR_S) return findings
  return [
    ...findings,
    {
      verdict: 'warn',
      about: 'forks',
      message: `the calendar of this version is ${durationText(age)} old`,
      meaning: 'blocks could not be proven after a fork that this version does not know',
      advice: 'update dexfeed, and read docs/internals/forks.md',
    },
  ]
}
