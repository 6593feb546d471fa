/** The UTC day of a time in seconds, YYYY-MM-DD. */
export function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}
