import { z } from 'zod'

/** The most reads of one batch. */
const MAX_REQUESTS = 50
/** The largest `limit` of a list within a batch. */
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
    body: z.looseObject({}).meta({ description: 'The response to a GET of the path' }),
  })
  .meta({ id: 'BatchResponse' })

/** The only route that is not a GET: several reads in one request, each with its own status. */
export const V1_BATCH = {
  operation: 'batch',
  path: '/v1/batch',
  summary: 'Several reads in one request',
  description: 'Each has its own status, in the order of the requests; the server does one read after the other.',
  /** Bytes. */
  maxBody: 131_072,
  request: z.strictObject({ requests: z.array(item).min(1).max(MAX_REQUESTS) }).meta({ id: 'Batch' }),
  response: z.strictObject({ responses: z.array(answered) }).meta({ id: 'BatchAnswer' }),
} as const

export type BatchAnswer = z.infer<typeof V1_BATCH.response>

/** Returns the paths of a batch, null if the body is not a batch. */
export function parseBatch(body: unknown): string[] | null {
  const parsed = V1_BATCH.request.safeParse(body)
  return parsed.success ? parsed.data.requests.map(({ path }) => path) : null
}
