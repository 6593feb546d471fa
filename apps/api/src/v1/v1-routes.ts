import { availableParallelism } from 'node:os'
import { type HandlerOf, type Route, V1_BATCH, V1_ROUTES, type V1Handlers } from '@dexfeed/contract'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type RequestHandler, Router } from 'express'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import { FairQueue, type QueueLimits } from '../http/limits/quotas.ts'
import type { RateLimit } from '../http/limits/rate-limit.ts'
import { batchRoute, type InTurn } from './batch.ts'
import type { FiguresBoard } from './figures/figures-board.ts'
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
const WITH_FIGURES: ReadonlySet<keyof V1Handlers> = new Set(['listTokens', 'getToken', 'listPools', 'getPool'])

/** Returns the routes of all declared operations under `/v1`, each with its handler. */
export function v1Routes(
  handlers: V1Handlers,
  figures: Pick<FiguresBoard, 'soon'>,
  { rates, hold }: { rates: Pick<RateLimit, 'charge'>; hold: HoldBody },
): Router {
  const router = Router()
  const queue = new FairQueue(QUEUE)
  const inTurn: InTurn = (operation, raw, { client, signal }) => {
    const turn: Turn = async (work) => {
      // A request that waits for figures does not take a slot from other reads.
      if (WITH_FIGURES.has(operation)) await figures.soon(networkOf(raw))
      return queue.run(client, () => {
        signal.throwIfAborted()
        return work()
      })
    }
    return routeResponse(V1_ROUTES[operation], handlers[operation] as HandlerOf<Route>, raw, { signal }, turn)
  }
  for (const [operation, route] of Object.entries<Route>(V1_ROUTES)) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    router.get(path, answerWith(operation as keyof V1Handlers, inTurn, hold))
  }
  router.post(V1_BATCH.path, ...batchRoute(inTurn, { rates, hold }))
  return router
}

/** Returns the network of a request; undefined if it names all networks, or an unknown one. */
function networkOf({ params, query }: RawRequest): NetworkName | undefined {
  return NETWORK_NAMES.find((name) => name === (params.network ?? query.network))
}

function answerWith(operation: keyof V1Handlers, inTurn: InTurn, hold: HoldBody): RequestHandler {
  const route: Route = V1_ROUTES[operation]
  return async (request, response) => {
    const disconnected = disconnectSignal(response)
    const { path, params, query } = request
    const csv = route.kind === 'list' && request.accepts(['application/json', 'text/csv']) === 'text/csv'
    const by = { client: clientOf(request), signal: disconnected }
    const { headers, text } = await inTurn(operation, { path, params, query, csv }, by)
    hold(request, response, text.length)
    if (route.kind === 'list') response.vary('Accept')
    response.set(headers).send(text)
  }
}
