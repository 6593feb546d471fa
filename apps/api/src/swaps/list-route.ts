import { parseSwapsRequest, type SwapsRequest } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import type { Request, RequestHandler, Response } from 'express'
import type { Counter, Gauge } from 'prom-client'
import { isKnown } from '../http/cached-response.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { QuotaLimits, Quotas } from '../http/limits/quotas.ts'
import type { Turns } from '../http/limits/turns.ts'
import type { ListPlan } from './day/list/list-plan.ts'
import { selectedDays } from './day/list/list-state.ts'
import type { RenderedDay } from './day/rendered-day.ts'
import { type BodyPart, bodyOf, type Encoding, identityLength } from './list-body.ts'
import { type ListHeaderOptions, listHeaders } from './list-headers.ts'
import { ListReaders } from './list-readers.ts'
import { Chunks, type Patience, SlowReader, sendBody } from './send-body.ts'
import { SmallBodies } from './small-bodies.ts'

/** Whole lists that are being sent at the same time. */
export const LIST_LIMITS: QuotaLimits = { total: 1_024, perClient: 256 }

interface ListMetrics {
  unpricedSwaps: Gauge
  flaggedSwaps: Gauge
  openStreams: Gauge
  cutStreams: Counter<'reason'>
}

export interface ListRouteOptions extends ListHeaderOptions {
  day: { current: RenderedDay['current']; plan: RenderedDay['plan'] }
  metrics: ListMetrics
  patience: Patience
  quotas: Quotas
  turns: Turns
}

interface Reply {
  plan: ListPlan
  encoding: Encoding
  etag: string
  parts: Iterable<BodyPart>
}

/** Serves `/api/swaps_24h` without a limit: the whole list. Clients at the same time get the same bytes. */
export function listRoute(options: ListRouteOptions): RequestHandler {
  const { quotas, patience, turns } = options
  const chunks = new Chunks()
  const readers = new ListReaders(quotas, patience.minBytesPerS)
  const bodies = new SmallBodies()
  const open = () => options.metrics.openStreams.set(quotas.held)
  return async (request, response, next) => {
    const query = parseSwapsRequest(request.query)
    if (query.limit !== undefined) {
      next()
      return
    }
    const client = clientOf(request)
    const reader = readers.take(client)
    open()
    const chunk = chunks.take()
    const disconnected = disconnectSignal(response)
    const signal = AbortSignal.any([disconnected, reader.displaced])
    try {
      const reply = await replyTo(request, query, bodies, options)
      if (!begin(request, response, { ...reply, network: query.network }, options)) return
      reader.begin()
      await sendBody(response, reply.parts, {
        patience,
        signal,
        chunk,
        turn: () => turns.next(client),
        onTaken: (bytes) => reader.took(bytes),
      })
      response.end()
    } catch (error) {
      if (response.headersSent) options.metrics.cutStreams.inc({ reason: reasonOf(error, disconnected) })
      throw error
    } finally {
      reader.leave()
      chunks.giveBack(chunk)
      open()
    }
  }
}

async function replyTo(
  request: Request,
  query: SwapsRequest,
  bodies: SmallBodies,
  options: ListRouteOptions,
): Promise<Reply> {
  const encoding: Encoding = request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? 'gzip' : 'identity'
  const plan = await currentPlan(request, query, options)
  const etag = `"${plan.tag}-${encoding}"`
  const { network, cursor } = query
  // The tag is of the rows alone: other resources may have the same.
  const name = JSON.stringify([network, cursor, etag])
  return { plan, encoding, etag, parts: bodies.partsOf(name, identityLength(plan), bodyOf(plan, encoding)) }
}

async function currentPlan(
  request: Request,
  query: SwapsRequest,
  { day, metrics, now, turns }: ListRouteOptions,
): Promise<ListPlan> {
  const { network, cursor } = query
  const since = now() - DAY_S
  const state = await day.current(since)
  // All that waited for the state would continue at once.
  await turns.next(clientOf(request))
  const selection = { since, ...(network && { network }), ...(cursor && { after: cursor }) }
  if (network !== undefined && selectedDays(state, selection).length === 0) {
    throw new HttpFailure(404, `${network} is not indexed by this server`)
  }
  const plan = await day.plan(state, selection)
  if (network === undefined && cursor === undefined) {
    metrics.unpricedSwaps.set(plan.unpriced)
    metrics.flaggedSwaps.set(plan.flagged)
  }
  return plan
}

function begin(
  request: Request,
  response: Response,
  reply: Reply & { network: SwapsRequest['network'] },
  options: ListRouteOptions,
): boolean {
  const { plan, network, encoding, etag } = reply
  response.set(listHeaders(plan.networks, plan, network, options))
  response.vary('Accept-Encoding')
  response.set('ETag', etag)
  if (isKnown(request, etag)) {
    response.removeHeader('Content-Type')
    response.status(304).end()
    return false
  }
  if (encoding === 'gzip') response.set('Content-Encoding', 'gzip')
  else response.set('Content-Length', String(identityLength(plan)))
  if (request.method !== 'HEAD') return true
  response.end()
  return false
}

function reasonOf(error: unknown, disconnected: AbortSignal): string {
  if (error instanceof SlowReader) return 'slow'
  return disconnected.aborted ? 'left' : 'failed'
}
