import { z } from 'zod'
import { parseQuery } from '../invalid-request.ts'

const MAX_REQUESTS = 50
export const MAX_BATCH_LIMIT = 100
const MAX_PATH = 2_048

const BODY_MESSAGE = `the body must be { "requests": [{ "path": "/v1/…" }, …] }, 1 to ${MAX_REQUESTS}`
const ITEM_MESSAGE = 'must be { "path": "/v1/…" }, with a "body" for a POST'
const PATH_MESSAGE = `must be a path under /v1/ with its query, of at most ${MAX_PATH} characters`

const item = z
  .strictObject(
    {
      path: z
        .string({ error: PATH_MESSAGE })
        .max(MAX_PATH, { error: PATH_MESSAGE })
        .regex(/^\/v1\/[\x21-\x22\x24-\x7e]*$/, { error: PATH_MESSAGE })
        .meta({ description: `Path and query of a GET under \`/v1\`; \`limit\` at most ${MAX_BATCH_LIMIT}` }),
      body: z
        .looseObject({}, { error: 'must be an object' })
        .optional()
        .meta({ description: 'If present, the request is a POST with this JSON as its body' }),
    },
    { error: ITEM_MESSAGE },
  )
  .meta({ id: 'BatchRequest', example: { path: '/v1/tokens?search=usd&limit=5' } })

const answered = z
  .strictObject({
    status: z.int().min(200).max(599),
    body: z.looseObject({}).meta({ description: 'The response body of this request' }),
  })
  .meta({ id: 'BatchResponse' })

export const V1_BATCH = {
  operation: 'batch',
  path: '/v1/batch',
  summary: 'Several reads in one request',
  description:
    'Each response has its own status. The server runs the requests one after another and keeps their order.',
  maxBody: 131_072,
  request: z
    .strictObject(
      {
        requests: z
          .array(item, { error: BODY_MESSAGE })
          .min(1, { error: BODY_MESSAGE })
          .max(MAX_REQUESTS, { error: BODY_MESSAGE }),
      },
      { error: BODY_MESSAGE },
    )
    .meta({ id: 'Batch' }),
  response: z.strictObject({ responses: z.array(answered) }).meta({ id: 'BatchAnswer' }),
} as const

export type BatchAnswer = z.infer<typeof V1_BATCH.response>

export interface BatchRead {
  path: string
  body?: unknown
}

/** @throws InvalidRequest that names the invalid reads */
export function parseBatch(body: unknown): BatchRead[] {
  return parseQuery(V1_BATCH.request, body).requests
}
