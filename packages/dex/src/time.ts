/** Durations in milliseconds, as timers take them. */
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Durations in seconds, as block times count them. */
export const HOUR_S = HOUR / SECOND
export const DAY_S = DAY / SECOND

/** Whole UTC days since 1970 of a time in seconds. */
export function dayOf(timestamp: number): number {
  return Math.floor(timestamp / DAY_S)
}

/** First second of a day (since 1970, UTC). */
export function startOfDay(day: number): number {
  return day * DAY_S
}

/** `YYYY-MM-DD` of a day (since 1970, UTC). */
export function dateOfDay(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10)
}
