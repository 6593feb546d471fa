import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import type { z } from 'zod'

export type Responses = RouteConfig['responses']
export type Headers = z.ZodObject<Record<string, z.ZodType>>

const FAILURES: Record<number, string> = {
  400: 'A parameter is missing, repeated or malformed',
  401: 'The API key is not known here; without a key the request is served',
  404: 'No such thing: unknown path, network without data, unsupported symbol, no route',
  405: 'Another method is meant for this path',
  413: 'The body is too large',
  414: 'The URL is too long',
  415: 'The body is not JSON',
  429: 'Too many requests; `Retry-After` says when to retry',
  500: 'A fault of the server; find it in the log by the response header `X-Request-Id`',
  503: 'Not available now: stale data or a busy database; `Retry-After` says when to retry',
}

export function success(description: string, schema: z.ZodType, headers?: Headers): Responses[number] {
  return { description, content: { 'application/json': { schema } }, ...(headers === undefined ? {} : { headers }) }
}

export function failures(schema: z.ZodType, own: readonly number[]): Responses {
  const statuses = new Set([...own, 401, 405, 414, 429, 500, 503])
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      { description: FAILURES[status] ?? '', content: { 'application/json': { schema } } },
    ]),
  )
}
