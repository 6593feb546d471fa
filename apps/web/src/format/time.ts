const STEPS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
] as const

/** Formats seconds in their largest unit, rounded down: `42 s`, `3 min`, `5 h`, `12 d`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const step = STEPS.find((each) => whole >= each.seconds)
  return step === undefined ? `${whole} s` : `${Math.floor(whole / step.seconds)} ${step.unit}`
}

/** Formats an ISO time as `2026-11-26 07:15:02 UTC`. */
export function utcText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}

/** Formats a date such as `2026-11-26` as `Thu 26 Nov`. */
export function dayText(date: string): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat('en-GB', options).format(new Date(`${date}T00:00:00Z`)).replace(',', '')
}
