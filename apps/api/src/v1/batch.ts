import { parse as parseQuerystring } from 'node:querystring'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type BatchAnswer,
  type BatchRead,
  InvalidRequest,
  MAX_BATCH_LIMIT,
  parseBatch,
  pathParameters,
  type Route,
  V1_ROUTES,
  type V1Handlers,
} from '@dexfeed/contract'
import type { Request, RequestHandler } from 'express'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { toFailure } from '../http/failure-handler.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import { type BodyLimits, readBody } from './json-body.ts'
import { type Charge, JSON_TYPE, type RawRequest, type RouteResponse } from './route-response.ts'

/** Returns a route's response in the client's turn. @throws as `routeResponse`, and HttpFailure 503 if too many wait */
export type InTurn = (
  operation: keyof V1Handlers,
  raw: RawRequest,
  by: { client: string; signal: AbortSignal; charge: Charge },
) => Promise<RouteResponse>

/** Serves `POST /v1/batch`: several reads, one after the other. Each waits for its turn and counts as a request. */
export function batchRoute(inTurn: InTurn, { hold, ...limits }: BodyLimits & { hold: HoldBody }): RequestHandler[] {
  return [
    ...readBody(limits),
    async (request, response) => {
      const reads = parseBatch(request.body)
      const charge = (further: number) => limits.rates.charge(request, response, further)
      charge(reads.length - 1)
      const disconnected = disconnectSignal(response)
      const responses: string[] = []
      for (const read of reads) {
        // A refused read waits for no turn, but still takes time.
        await turn()
        disconnected.throwIfAborted()
        const text = await responseOf(inTurn, read, request, { signal: disconnected, charge })
        hold(request, response, text.length)
        responses.push(text)
      }
      const headers = { 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE }
      response.set(headers).send(`{"responses":[${responses.join()}]}`)
    },
  ]
}

async function responseOf(
  inTurn: InTurn,
  batchRead: BatchRead,
  request: Request,
  { signal, charge }: { signal: AbortSignal; charge: Charge },
): Promise<string> {
  try {
    const { operation, raw } = find(batchRead)
    if (Number(raw.query.limit) > MAX_BATCH_LIMIT) {
      throw new InvalidRequest(`limit is at most ${MAX_BATCH_LIMIT} within a batch`)
    }
    const { text } = await inTurn(operation, raw, { client: clientOf(request), signal, charge })
    return `{"status":200,"body":${text}}`
  } catch (error) {
    if (signal.aborted) throw error
    const { status, message, code } = toFailure(error)
    if (status === 500) request.log.error({ err: error }, 'a request of a batch failed')
    const failure: BatchAnswer['responses'][number] = { status, body: { error: message, code } }
    return JSON.stringify(failure)
  }
}

function find({ path: url, body }: BatchRead): { operation: keyof V1Handlers; raw: RawRequest } {
  const [path = '', ...query] = url.split('?')
  for (const [operation, route] of Object.entries<Route>(V1_ROUTES)) {
    const form = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
    const found = form.exec(path)
    if (found === null || (route.kind === 'post') !== (body !== undefined)) continue
    const params = Object.fromEntries(
      pathParameters(route.path).map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]),
    )
    const raw = { path, params, query: parseQuerystring(query.join('?')), csv: false, body }
    return { operation: operation as keyof V1Handlers, raw }
  }
  throw new HttpFailure(404, 'there is nothing under this path')
}
