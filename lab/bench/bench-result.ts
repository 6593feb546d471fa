/** Names carry units. */
export interface BenchResult {
  figures: Readonly<Record<string, number | boolean | string | null>>
  /** Extra lines of the table. */
  notes?: readonly (readonly [name: string, value: string])[]
  /** Fails the program after printing. */
  failure?: string
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
