import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import type { z } from 'zod'

export type Responses = RouteConfig['responses']
export type Headers = z.ZodObject<Record<string, z.ZodType>>

const FAILURES: Record<number, string> = {
  400: 'A parameter is missing, repeated or malformed',
  401: 'The API key is unknown. A request without a key would be served',
  404: 'Not found: an unknown path, a network without data, an unsupported symbol, or no route',
  405: 'This path does not support the method',
  413: 'The body is too large',
  414: 'The URL is too long',
  415: 'The body is not JSON',
  429: 'Too many requests; `Retry-After` says when to retry',
  500: 'A server error; the response header `X-Request-Id` identifies it in the log',
  503: 'Temporarily unavailable: stale data or a busy database; `Retry-After` says when to retry',
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
