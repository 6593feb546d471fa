export type Line = readonly [name: string, value: string]

/** The rows and figures of one part of a report. */
export interface Part {
  table: Line[]
  figures: Record<string, number>
}
