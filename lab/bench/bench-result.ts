/** What a benchmark found: lines for people, and the figures of its last line. */
export interface BenchResult {
  table: readonly (readonly [name: string, value: string])[]
  figures: Readonly<Record<string, number | boolean | string | null>>
}
