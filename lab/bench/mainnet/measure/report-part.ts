export type Line = readonly [name: string, value: string]

/** What one side of a run has to tell. */
export interface Part {
  table: Line[]
  figures: Record<string, number>
}
