/** Names of figures end with their unit. */
export interface BenchResult {
  figures: Readonly<Record<string, number | boolean | string | null>>
  /** Rows for the printed table only. */
  notes?: readonly (readonly [name: string, value: string])[]
  /** If set, the program prints the result and then fails with this message. */
  failure?: string
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
