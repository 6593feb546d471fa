import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import type { z } from 'zod'

export type Responses = RouteConfig['responses']
export type Headers = z.ZodObject<Record<string, z.ZodType>>

const FAILURES: Record<number, string> = {
  400: 'A parameter is missing, repeated or malformed',
  404: 'No such thing: unknown path, network without data, unsupported symbol, no route',
  405: 'Another method is meant for this path',
  413: 'The body is too large',
  414: 'The URL is too long',
  415: 'The body is no JSON',
  429: 'Too many requests; `Retry-After` tells when to come back',
  500: 'A fault of the server; the response header `X-Request-Id` finds it in the log',
  503: 'Not now: stale data or a busy database; `Retry-After` tells when to come back',
}

/** Every answer with a body of this shape. */
export function success(description: string, schema: z.ZodType, headers?: Headers): Responses[number] {
  return { description, content: { 'application/json': { schema } }, ...(headers === undefined ? {} : { headers }) }
}

/** The given failures and those that every route may answer, with a body of this shape. */
export function failures(schema: z.ZodType, own: readonly number[]): Responses {
  const statuses = new Set([...own, 405, 414, 429, 500, 503])
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      { description: FAILURES[status] ?? '', content: { 'application/json': { schema } } },
    ]),
  )
}
