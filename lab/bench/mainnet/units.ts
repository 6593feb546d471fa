/** Formats bytes as kilobytes. */
export function kb(bytes: number): string {
  return `${(bytes / 1_000).toFixed(0)} kB`
}

/** Formats milliseconds. */
export function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}
