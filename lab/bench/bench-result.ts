export interface BenchResult {
  figures: Readonly<Record<string, number | boolean | string | null>>
  /** Rows for the printed table only. */
  notes?: readonly (readonly [name: string, value: string])[]
  /** Makes the program fail after printing. */
  failure?: string
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
