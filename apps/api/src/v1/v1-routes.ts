import { availableParallelism } from 'node:os'
import { type HandlerOf, type Route, V1_BATCH, V1_ROUTES, type V1Handlers } from '@dexfeed/contract'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type RequestHandler, Router } from 'express'
import { inCoding, sendCached } from '../http/cached-response.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import { FairQueue, type QueueLimits } from '../http/limits/quotas.ts'
import type { RateLimit } from '../http/limits/rate-limit.ts'
import type { Turns } from '../http/limits/turns.ts'
import type { Changes } from '../service/change-feed.ts'
import { batchRoute, type InTurn } from './batch.ts'
import type { FiguresBoard } from './figures/figures-board.ts'
import { readBody } from './json-body.ts'
import { KeptResponses } from './kept-responses.ts'
import { type RawRequest, routeResponse, type Turn } from './route-response.ts'

/**
 * A read alternates between this process and Postgres. As many reads as processors keep about half of these busy and
 * leave the rest to the indexer.
 */
const MAX_SLOTS = 8

const QUEUE: QueueLimits = {
  slots: Math.min(MAX_SLOTS, availableParallelism()),
  perClient: 1_024,
  total: 8_192,
}

const WITH_FIGURES: ReadonlySet<keyof V1Handlers> = new Set([
  'listTokens',
  'getToken',
  'listPools',
  'getPool',
  'search',
])

/** Routes that read the market in memory. They take turns with quotes instead of database reads. */
const OF_THE_MARKET: ReadonlySet<keyof V1Handlers> = new Set(['quoteAmount', 'quoteMany', 'getPrices', 'findPrices'])

export function v1Routes(
  handlers: V1Handlers,
  figures: { soon: FiguresBoard['soon'] },
  { changes, ...limits }: Limits & { changes: Changes },
): Router {
  const router = Router()
  const kept = new KeptResponses(changes)
  const queue = new FairQueue(QUEUE)
  const inTurn: InTurn = (operation, raw, { client, signal, charge }) => {
    const turn: Turn = async (work) => {
      if (OF_THE_MARKET.has(operation)) return work()
      // A request that waits for figures takes no slot.
      if (WITH_FIGURES.has(operation)) await figures.soon(networkOf(raw))
      return queue.run(client, () => {
        signal.throwIfAborted()
        return work()
      })
    }
    const handler = handlers[operation] as HandlerOf<Route>
    return routeResponse({
      route: V1_ROUTES[operation],
      handler,
      request: raw,
      context: { signal, client },
      turn,
      charge,
    })
  }
  const bodies = readBody(limits)
  for (const [operation, route] of Object.entries<Route>(V1_ROUTES)) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const name = operation as keyof V1Handlers
    if (route.kind === 'post') router.post(path, ...bodies, responder({ operation: name, inTurn, kept: null, limits }))
    else router.get(path, responder({ operation: name, inTurn, kept: isKept(name) ? kept : null, limits }))
  }
  router.post(V1_BATCH.path, ...batchRoute(inTurn, limits))
  return router
}

function networkOf({ params, query }: RawRequest): NetworkName | undefined {
  return NETWORK_NAMES.find((name) => name === (params.network ?? query.network))
}

interface Limits {
  rates: RateLimit
  hold: HoldBody
  turns: Turns
}

function isKept(operation: keyof V1Handlers): boolean {
  const route: Route = V1_ROUTES[operation]
  return route.kind !== 'post' && route.maxAgeS > 0 && !OF_THE_MARKET.has(operation)
}

interface ResponderOptions {
  operation: keyof V1Handlers
  inTurn: InTurn
  kept: KeptResponses | null
  limits: Limits
}

function responder({ operation, inTurn, kept, limits }: ResponderOptions): RequestHandler {
  const { rates, hold, turns } = limits
  const route: Route = V1_ROUTES[operation]
  const isList = route.kind === 'list'
  return async (request, response) => {
    const { path, params, query, body } = request
    const client = clientOf(request)
    const csv = isList && request.accepts(['application/json', 'text/csv']) === 'text/csv'
    const charge = (further: number) => rates.charge(request, response, further)
    const by = { client, signal: disconnectSignal(response), charge }
    const read = () => inTurn(operation, { path, params, query, csv, body }, by)
    const prepare = async (length: number) => {
      await turns.next(client)
      hold(request, response, length)
      if (isList) response.vary('Accept')
    }
    if (kept === null) {
      const { headers, text } = await read()
      await prepare(text.length)
      response.set(headers).send(text)
      return
    }
    const plain = await kept.of({ key: JSON.stringify([path, query, csv]), client, maxAgeS: route.maxAgeS }, read)
    const found = await inCoding(request, response, plain)
    await prepare(found.length)
    sendCached(request, response, found)
  }
}
