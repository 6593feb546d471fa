const DAY_S = 86_400

/** Whole UTC days since 1970 of a time in seconds. */
export function dayOf(timestamp: number): number {
  return Math.floor(timestamp / DAY_S)
}

/** `YYYY-MM-DD` of a day. */
export function dateOfDay(day: number): string {
  return new Date(day * DAY_S * 1000).toISOString().slice(0, 10)
}

/** First second of a day. */
export function startOfDay(day: number): number {
  return day * DAY_S
}
