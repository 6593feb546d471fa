/** The result of a benchmark: the figures of the table and of the last line. Their names have their units. */
export interface BenchResult {
  figures: Readonly<Record<string, number | boolean | string | null>>
  /** More lines for people. */
  notes?: readonly (readonly [name: string, value: string])[]
  /** Why the program fails after it has printed both. */
  failure?: string
}
