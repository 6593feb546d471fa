/** The result of a benchmark: a table for people, and the figures of the last line. */
export interface BenchResult {
  table: readonly (readonly [name: string, value: string])[]
  figures: Readonly<Record<string, number | boolean | string | null>>
  /** Why the program fails after it has printed both. */
  failure?: string
}
