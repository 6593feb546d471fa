import { availableParallelism } from 'node:os'
import { type HandlerOf, type Route, V1_BATCH, V1_ROUTES, type V1Handlers } from '@dexfeed/contract'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type Request, type RequestHandler, Router } from 'express'
import { inCoding, sendCached } from '../http/cached-response.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import { FairQueue, type QueueLimits } from '../http/limits/quotas.ts'
import type { RateLimit } from '../http/limits/rate-limit.ts'
import type { Turns } from '../http/limits/turns.ts'
import type { ChangeFeed } from '../service/change-feed.ts'
import { batchRoute, type InTurn } from './batch.ts'
import type { FiguresBoard } from './figures/figures-board.ts'
import { readBody } from './json-body.ts'
import { KeptResponses } from './kept-responses.ts'
import { type RawRequest, routeResponse, type Turn } from './route-response.ts'

/** Most reads load the database. Half of the machine is left to the indexer, which writes to it. */
const MOST_SLOTS = 8

/** Reads at a time; waiting requests per client and in total. */
const QUEUE: QueueLimits = {
  slots: Math.min(MOST_SLOTS, Math.ceil(availableParallelism() / 2)),
  perClient: 1_024,
  total: 8_192,
}

/** Routes that return figures of tokens and pools. */
const WITH_FIGURES: ReadonlySet<keyof V1Handlers> = new Set([
  ...(['listTokens', 'getToken', 'listPools', 'getPool', 'search'] as const),
])

/** Routes that read the market in memory: they take turns with quotes, not with reads of the database. */
const OF_THE_MARKET: ReadonlySet<keyof V1Handlers> = new Set(['quoteAmount', 'quoteMany', 'getPrices', 'findPrices'])

/** Returns the routes of all declared operations under `/v1`, each with its handler. */
export function v1Routes(
  handlers: V1Handlers,
  figures: Pick<FiguresBoard, 'soon'>,
  { changes, ...limits }: Limits & { changes: Pick<ChangeFeed, 'subscribe'> },
): Router {
  const router = Router()
  const kept = new KeptResponses(changes)
  const queue = new FairQueue(QUEUE)
  const inTurn: InTurn = (operation, raw, { client, signal, charge }) => {
    const turn: Turn = async (work) => {
      if (OF_THE_MARKET.has(operation)) return work()
      // A request that waits for figures does not take a slot from other reads.
      if (WITH_FIGURES.has(operation)) await figures.soon(networkOf(raw))
      return queue.run(client, () => {
        signal.throwIfAborted()
        return work()
      })
    }
    const handler = handlers[operation] as HandlerOf<Route>
    return routeResponse(V1_ROUTES[operation], handler, raw, { signal, client }, turn, charge)
  }
  const bodies = readBody(limits)
  for (const [operation, route] of Object.entries<Route>(V1_ROUTES)) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const name = operation as keyof V1Handlers
    if (isKept(name)) router.get(path, answerFrom(kept, name, inTurn, limits))
    else if (route.kind === 'post') router.post(path, ...bodies, answerWith(name, inTurn, limits))
    else router.get(path, answerWith(name, inTurn, limits))
  }
  router.post(V1_BATCH.path, ...batchRoute(inTurn, limits))
  return router
}

/** Returns the network of a request; undefined if it names all networks, or an unknown one. */
function networkOf({ params, query }: RawRequest): NetworkName | undefined {
  return NETWORK_NAMES.find((name) => name === (params.network ?? query.network))
}

interface Limits {
  rates: Pick<RateLimit, 'charge'>
  hold: HoldBody
  turns: Pick<Turns, 'next'>
}

/** Returns whether clients may keep a response because it depends on the request and the database alone. */
function isKept(operation: keyof V1Handlers): boolean {
  const route: Route = V1_ROUTES[operation]
  return route.kind !== 'post' && route.maxAgeS > 0 && !OF_THE_MARKET.has(operation)
}

function answerFrom(
  kept: KeptResponses,
  operation: keyof V1Handlers,
  inTurn: InTurn,
  { rates, hold, turns }: Limits,
): RequestHandler {
  const route: Route = V1_ROUTES[operation]
  return async (request, response) => {
    const { path, params, query } = request
    const csv = isCsv(route, request)
    const charge = (further: number) => rates.charge(request, response, further)
    const client = clientOf(request)
    const by = { client, signal: disconnectSignal(response), charge }
    const read = () => inTurn(operation, { path, params, query, csv }, by)
    const plain = await kept.of({ key: JSON.stringify([path, query, csv]), client, maxAgeS: route.maxAgeS }, read)
    const found = await inCoding(request, response, plain)
    await turns.next(client)
    hold(request, response, found.length)
    if (route.kind === 'list') response.vary('Accept')
    sendCached(request, response, found)
  }
}

function isCsv(route: Route, request: Request): boolean {
  return route.kind === 'list' && request.accepts(['application/json', 'text/csv']) === 'text/csv'
}

function answerWith(operation: keyof V1Handlers, inTurn: InTurn, { rates, hold, turns }: Limits): RequestHandler {
  const route: Route = V1_ROUTES[operation]
  return async (request, response) => {
    const disconnected = disconnectSignal(response)
    const { path, params, query } = request
    const csv = isCsv(route, request)
    const charge = (further: number) => rates.charge(request, response, further)
    const client = clientOf(request)
    const by = { client, signal: disconnected, charge }
    const { headers, text } = await inTurn(operation, { path, params, query, csv, body: request.body }, by)
    await turns.next(client)
    hold(request, response, text.length)
    if (route.kind === 'list') response.vary('Accept')
    response.set(headers).send(text)
  }
}
