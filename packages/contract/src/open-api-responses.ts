import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { pathParameters } from './parameters.ts'

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

export interface Operation {
  path: string
  operationId: string
  tag: string
  summary: string
  description?: string | undefined
}

/** Describes a GET. @param shape the parameters, also those of the path */
export function readPath(of: Operation, shape: z.ZodRawShape, responses: Responses) {
  const inPath = new Set(pathParameters(of.path))
  const part = (wanted: boolean) =>
    z.object(Object.fromEntries(Object.entries(shape).filter(([name]) => inPath.has(name) === wanted)))
  const request = { params: part(true), query: part(false) }
  return { method: 'get', ...fieldsOf(of), request, responses } satisfies RouteConfig
}

export function postPath(of: Operation, body: z.ZodType, responses: Responses): RouteConfig {
  const request = { body: { required: true, content: { 'application/json': { schema: body } } } }
  return { method: 'post', ...fieldsOf(of), request, responses }
}

function fieldsOf({ path, operationId, tag, summary, description }: Operation) {
  return { path, operationId, tags: [tag], summary, ...(description !== undefined && { description }) }
}

/** A route that another service defined. */
export interface ForeignRoute {
  path: string
  summary: string
  description?: string
  request: z.ZodRawShape
  headers?: Headers
  body: z.ZodType
}

/** Describes routes that another service defined. */
export function foreignPaths(
  { name: service, tag, failure }: { name: string; tag: string; failure: z.ZodType },
  routes: Readonly<Record<string, ForeignRoute>>,
): RouteConfig[] {
  return Object.entries(routes).map(([name, { path, summary, description, request, headers, body }]) => {
    const operationId = `${service}${name.charAt(0).toUpperCase()}${name.slice(1)}`
    const responses = { 200: success(summary, body, headers), ...failures(failure, [400, 404]) }
    return readPath({ path, operationId, tag, summary, description }, request, responses)
  })
}
