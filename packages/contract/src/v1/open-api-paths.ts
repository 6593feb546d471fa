import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { failures, type Headers, type Responses, success } from '../open-api-responses.ts'
import { V1_BATCH } from './batch.ts'
import { codedFailure } from './error-code.ts'
import { pageOf, pageParameters } from './page.ts'
import { type ListRoute, type PostRoute, pathParameters, type ReadRoute, type Route } from './route.ts'
import { V1_ROUTES } from './routes.ts'
import { streamEvent, V1_STREAM } from './stream/stream.ts'

export function v1Paths(): RouteConfig[] {
  return [...Object.values<Route>(V1_ROUTES).map(pathOf), STREAM, BATCH]
}

function pathOf(route: Route): RouteConfig {
  if (route.kind === 'post') return postOf(route)
  const own = route.kind === 'list' ? { ...route.filters, ...pageParameters(route) } : route.request
  const inPath = new Set(pathParameters(route.path))
  const part = (wanted: boolean) =>
    z.object(Object.fromEntries(Object.entries(own).filter(([name]) => inPath.has(name) === wanted)))
  return {
    method: 'get',
    path: route.path,
    operationId: route.operation,
    tags: ['v1'],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    request: { params: part(true), query: part(false) },
    responses: { 200: answerOf(route), ...failures(codedFailure, [400, ...route.failures]) },
  }
}

function postOf(route: PostRoute): RouteConfig {
  const schema = z.strictObject(route.request)
  return {
    method: 'post',
    path: route.path,
    operationId: route.operation,
    tags: ['v1'],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    request: { body: { required: true, content: { 'application/json': { schema } } } },
    responses: {
      200: success(route.summary, route.body, route.headers),
      ...failures(codedFailure, [400, 413, 415, ...route.failures]),
    },
  }
}

const BATCH: RouteConfig = {
  method: 'post',
  path: V1_BATCH.path,
  operationId: V1_BATCH.operation,
  tags: ['v1'],
  summary: V1_BATCH.summary,
  description: V1_BATCH.description,
  request: { body: { required: true, content: { 'application/json': { schema: V1_BATCH.request } } } },
  responses: {
    200: success('The responses', V1_BATCH.response),
    ...failures(codedFailure, [400, 413, 415]),
  },
}

const STREAM: RouteConfig = {
  method: 'get',
  path: V1_STREAM.path,
  operationId: V1_STREAM.operation,
  tags: ['v1'],
  summary: V1_STREAM.summary,
  description: V1_STREAM.description,
  request: {
    query: z.object(V1_STREAM.request),
    headers: z.object({
      'Last-Event-ID': z.string().optional().meta({ description: 'The id of the last event received' }),
    }),
  },
  responses: {
    200: {
      description:
        'An endless stream of events. `event` and `id` are separate fields of an event, and `data` is one line of JSON',
      content: { 'text/event-stream': { schema: streamEvent } },
    },
    ...failures(codedFailure, V1_STREAM.failures),
  },
}

function answerOf(route: ReadRoute | ListRoute): Responses[number] {
  if (route.kind === 'read') return success(route.summary, route.body, route.headers)
  const link = z
    .string()
    .optional()
    .meta({ description: '`<…>; rel="next"` and `<…>; rel="prev"`, the same cursors as in the body' })
  const headers: Headers = z.object({ ...route.headers?.shape, Link: link })
  const json = { schema: pageOf(route.row) }
  const csv = {
    schema: z.string().meta({ description: 'The same rows, with `format=csv` or if `Accept` prefers CSV' }),
  }
  return { description: route.summary, headers, content: { 'application/json': json, 'text/csv': csv } }
}
