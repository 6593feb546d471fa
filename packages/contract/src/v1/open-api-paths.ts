import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { failures, type Headers, postPath, type Responses, readPath, success } from '../open-api-responses.ts'
import { V1_BATCH } from './batch.ts'
import { codedFailure } from './error-code.ts'
import { pageOf, pageParameters } from './page.ts'
import type { ListRoute, ReadRoute, Route } from './route.ts'
import { V1_ROUTES } from './routes.ts'
import { streamEvent, V1_STREAM } from './stream/stream.ts'

export function v1Paths(): RouteConfig[] {
  return [...Object.values<Route>(V1_ROUTES).map(pathOf), STREAM, BATCH]
}

function pathOf(route: Route): RouteConfig {
  const { operation: operationId, path, summary, description } = route
  const operation = { path, operationId, tag: 'v1', summary, description }
  if (route.kind === 'post') {
    const answer = success(summary, route.body, route.headers)
    const responses = { 200: answer, ...failures(codedFailure, [400, 413, 415, ...route.failures]) }
    return postPath(operation, z.strictObject(route.request), responses)
  }
  const shape = route.kind === 'list' ? { ...route.filters, ...pageParameters(route) } : route.request
  return readPath(operation, shape, { 200: answerOf(route), ...failures(codedFailure, [400, ...route.failures]) })
}

const BATCH = postPath({ ...V1_BATCH, operationId: V1_BATCH.operation, tag: 'v1' }, V1_BATCH.request, {
  200: success('The responses', V1_BATCH.response),
  ...failures(codedFailure, [400, 413, 415]),
})

const READ_STREAM = readPath({ ...V1_STREAM, operationId: V1_STREAM.operation, tag: 'v1' }, V1_STREAM.request, {
  200: {
    description:
      'An endless stream of events. `event` and `id` are separate fields of an event, and `data` is one line of JSON',
    content: { 'text/event-stream': { schema: streamEvent } },
  },
  ...failures(codedFailure, V1_STREAM.failures),
})

const LAST_ID = z.string().optional().meta({ description: 'The id of the last event received' })
const STREAM = { ...READ_STREAM, request: { ...READ_STREAM.request, headers: z.object({ 'Last-Event-ID': LAST_ID }) } }

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
