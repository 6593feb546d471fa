/** Milliseconds, as timers use them. */
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Seconds, as block times use them. */
export const MINUTE_S = MINUTE / SECOND
export const HOUR_S = HOUR / SECOND
export const DAY_S = DAY / SECOND

/** Returns the number of whole UTC days since 1970, for a time in seconds. */
export function dayOf(timestamp: number): number {
  return Math.floor(timestamp / DAY_S)
}

export function startOfDay(day: number): number {
  return day * DAY_S
}

/** A Monday, from which intervals of any length are counted, so that weeks begin on Monday 00:00 UTC. */
export const FIRST_MONDAY = 4 * DAY_S

/** Returns the start of the interval of `seconds` that contains a time. */
export function intervalStart(timestamp: number, seconds: number): number {
  return Math.floor((timestamp - FIRST_MONDAY) / seconds) * seconds + FIRST_MONDAY
}

/** Returns a day as `YYYY-MM-DD`. */
export function dateOfDay(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10)
}

/** Returns a time in seconds since 1970 as ISO 8601 text. */
export function isoTime(timestamp: number): string {
  return new Date(timestamp * SECOND).toISOString()
}
