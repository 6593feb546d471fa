import { z } from 'zod'
import { NETWORK_VALUES } from './parameters.ts'

export const backfillJob = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    from: z.int().min(0),
    to: z.int().min(0),
    /** How often these blocks have failed before. */
    round: z.int().min(0),
  })
  .refine(({ from, to }) => from <= to, 'from is above to')
export type BackfillJob = z.infer<typeof backfillJob>

/** What a finished job did. The size of the next jobs depends on it. */
export const backfillResult = z.object({
  blocks: z.int().min(0),
  trades: z.int().min(0),
  ms: z.number().min(0),
})
export type BackfillResult = z.infer<typeof backfillResult>
