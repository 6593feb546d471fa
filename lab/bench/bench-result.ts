export interface BenchResult {
  figures: Readonly<Record<string, number | boolean | string | null>>
  notes?: readonly (readonly [name: string, value: string])[]
  failure?: string
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
