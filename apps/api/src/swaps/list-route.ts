import { parseSwapsRequest, type SwapsRequest } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import type { Request, RequestHandler, Response } from 'express'
import type { ApiMetrics } from '../api-metrics.ts'
import { isKnown, tagsOf } from '../http/cached-response.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { Quotas } from '../http/limits/quotas.ts'
import type { Turns } from '../http/limits/turns.ts'
import type { ListPlan } from './day/list/list-plan.ts'
import { selectedDays } from './day/list/list-state.ts'
import type { RenderedDay } from './day/rendered-day.ts'
import { type BodyPart, bodyOf, type Encoding, identityLength } from './list-body.ts'
import { type ListHeaderOptions, listHeaders } from './list-headers.ts'
import { ListReaders } from './list-readers.ts'
import { PlanCache } from './plan-cache.ts'
import { type ByteRange, Chunks, PATIENCE, type Patience, SlowReader, sendBody } from './send-body.ts'
import { SmallBodies } from './small-bodies.ts'

export interface StreamLimits extends Patience {
  /** Most lists in transfer at a time. */
  maxOpen: number
  /** Most of these per client. */
  maxPerClient: number
}

export const STREAM_LIMITS: StreamLimits = { ...PATIENCE, maxOpen: 1_024, maxPerClient: 256 }

export interface ListRouteOptions extends ListHeaderOptions {
  day: Pick<RenderedDay, 'current' | 'plan'>
  metrics: Pick<ApiMetrics, 'unpricedSwaps' | 'flaggedSwaps' | 'openStreams' | 'cutStreams'>
  limits: StreamLimits
  quotas: Quotas
  turns: Pick<Turns, 'next'>
}

/** A list, and the part of it to send. */
interface Reply {
  /** The key of the list in `PlanCache`. */
  name: string
  plan: ListPlan
  encoding: Encoding
  parts: Iterable<BodyPart>
  /** Bytes of the body; null: known only after it is made. */
  length: number | null
  range: ByteRange | null
}

/** Serves `/api/swaps_24h` without a limit: the whole list. Clients at the same time get the same bytes. */
export function listRoute(options: ListRouteOptions): RequestHandler {
  const { quotas, limits, turns } = options
  const [plans, chunks, readers] = [new PlanCache(), new Chunks(), new ListReaders(quotas, limits.minBytesPerS)]
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
      const reply = await replyTo(request, query, { plans, bodies }, options)
      if (!begin(request, response, { ...reply, network: query.network }, options)) return
      plans.begin(reply.name, client)
      reader.begin()
      await sendBody(response, reply.parts, reply.range ?? { start: 0, end: Number.POSITIVE_INFINITY }, {
        ...{ patience: limits, signal, chunk, turn: () => turns.next(client) },
        onTaken: (bytes) => reader.took(bytes),
      })
      response.end()
      plans.end(reply.name, client)
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
  { plans, bodies }: { plans: PlanCache; bodies: SmallBodies },
  options: ListRouteOptions,
): Promise<Reply> {
  const encoding: Encoding = request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? 'gzip' : 'identity'
  const kept = isResuming(request, encoding) ? plans.get(nameOf(query, request.get('If-Range') ?? '')) : undefined
  const plan = kept ?? (await currentPlan(request, query, options))
  const name = nameOf(query, tagOf({ plan, encoding }))
  const length = identityLength(plan)
  const reply: Reply = {
    ...{ name, plan, encoding, range: null },
    parts: bodies.partsOf(name, length, bodyOf(plan, encoding)),
    length: encoding === 'identity' ? length : null,
  }
  plans.keep(name, plan)
  const match = request.get('If-Match')
  if (match !== undefined && match !== '*' && !tagsOf(match).includes(tagOf(reply))) {
    throw new HttpFailure(412, 'the list has changed')
  }
  return fitsRange(request, reply) ? withRange(request, reply) : reply
}

async function currentPlan(
  request: Request,
  query: SwapsRequest,
  { day, metrics, now, turns }: ListRouteOptions,
): Promise<ListPlan> {
  const { network, cursor } = query
  const since = now() - DAY_S
  const state = await day.current(since)
  // All that waited for it would continue at once.
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

/** Returns a strong ETag: it names the bytes of one encoding of one list. */
function tagOf({ plan, encoding }: Pick<Reply, 'plan' | 'encoding'>): string {
  return `"${plan.tag}-${encoding}"`
}

/**
 * Returns the key of a sent list. It includes the resource, because another resource has other lists under the same
 * tag.
 */
function nameOf({ network, cursor }: SwapsRequest, tag: string): string {
  return JSON.stringify([network, cursor, tag])
}

/** One range. Express does not parse this form as a list. */
const ONE_RANGE = /^bytes=(\d+-\d*|-\d+)$/

/** Returns whether a client resumes an interrupted download. Only then may an older list be sent. */
function isResuming({ method, headers }: Request, encoding: Encoding): boolean {
  const { range = '', 'if-range': tag } = headers
  if (method !== 'GET' || !ONE_RANGE.test(range) || typeof tag !== 'string' || !tag.endsWith(`-${encoding}"`))
    return false
  return headers['if-match'] === undefined && headers['if-none-match'] === undefined
}

/** A range of a newer list would not fit what the client has. */
function fitsRange(request: Request, reply: Reply): boolean {
  const condition = request.get('If-Range')
  return (
    request.method === 'GET' &&
    request.get('Range') !== undefined &&
    (condition === undefined || condition === tagOf(reply))
  )
}

/** RFC 9110, section 14. Several ranges, and an invalid one, get the whole list. */
async function withRange(request: Request, reply: Reply): Promise<Reply> {
  const { length, parts } = await measured(reply)
  const ranges = request.range(length)
  if (ranges === -1) {
    throw new HttpFailure(416, 'the range cannot be satisfied', { 'Content-Range': `bytes */${length}` })
  }
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return reply
  const [range] = ranges
  return range === undefined ? reply : { ...reply, parts, length, range: { start: range.start, end: range.end + 1 } }
}

/** Makes those parts whose length is not known otherwise. */
async function measured({ parts, length }: Reply): Promise<{ parts: BodyPart[]; length: number }> {
  const known = [...parts]
  if (length !== null) return { parts: known, length }
  let sum = 0
  for (const [at, part] of known.entries()) {
    if ('path' in part) sum += part.length
    else {
      const bytes = await part.bytes()
      known[at] = { bytes: () => bytes }
      sum += bytes.length
    }
  }
  return { parts: known, length: sum }
}

/** Sets status and headers. Returns false if the response has no body. */
function begin(
  request: Request,
  response: Response,
  reply: Reply & Pick<SwapsRequest, 'network'>,
  options: ListRouteOptions,
): boolean {
  const { plan, network, encoding, length, range } = reply
  response.set(listHeaders(plan.networks, plan, network, options))
  response.vary('Accept-Encoding')
  response.set({ ETag: tagOf(reply), 'Accept-Ranges': 'bytes' })
  if (isKnown(request, tagOf(reply))) {
    response.removeHeader('Content-Type')
    response.status(304).end()
    return false
  }
  if (encoding === 'gzip') response.set('Content-Encoding', 'gzip')
  if (range !== null) {
    response.status(206).set('Content-Range', `bytes ${range.start}-${range.end - 1}/${length}`)
    response.set('Content-Length', String(range.end - range.start))
  } else if (length !== null) response.set('Content-Length', String(length))
  if (request.method !== 'HEAD') return true
  response.end()
  return false
}

function reasonOf(error: unknown, disconnected: AbortSignal): string {
  if (error instanceof SlowReader) return 'slow'
  return disconnected.aborted ? 'left' : 'failed'
}
