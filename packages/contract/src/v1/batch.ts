import { z } from 'zod'

/** Reads of one batch. */
const MAX_REQUESTS = 50
/** Of a list within a batch. */
export const MAX_BATCH_LIMIT = 100
const MAX_PATH = 2_048

const item = z
  .strictObject({
    path: z
      .string()
      .max(MAX_PATH)
      .regex(/^\/v1\/[\x21-\x22\x24-\x7e]*$/)
      .meta({ description: `Path and query of a GET under \`/v1\`; \`limit\` at most ${MAX_BATCH_LIMIT}` }),
  })
  .meta({ id: 'BatchRequest', example: { path: '/v1/tokens?search=usd&limit=5' } })

const answered = z
  .strictObject({
    status: z.int().min(200).max(599),
    body: z.looseObject({}).meta({ description: 'What a GET of the path would have been answered' }),
  })
  .meta({ id: 'BatchResponse' })

/** The one route that is no GET: several reads at once, each with its own status. */
export const V1_BATCH = {
  operation: 'batch',
  path: '/v1/batch',
  summary: 'Several reads at once',
  description: 'Each has its own status, in the order of the requests; they are read one after the other.',
  /** Bytes. */
  maxBody: 131_072,
  request: z.strictObject({ requests: z.array(item).min(1).max(MAX_REQUESTS) }).meta({ id: 'Batch' }),
  response: z.strictObject({ responses: z.array(answered) }).meta({ id: 'BatchAnswer' }),
} as const

export type BatchAnswer = z.infer<typeof V1_BATCH.response>

/** The paths of a batch. Null: the body is none. */
export function parseBatch(body: unknown): string[] | null {
  const parsed = V1_BATCH.request.safeParse(body)
  return parsed.success ? parsed.data.requests.map(({ path }) => path) : null
}
