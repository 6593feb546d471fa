import { availableParallelism } from 'node:os'
import { type HandlerOf, type Route, V1_BATCH, V1_ROUTES, type V1Handlers } from '@dexfeed/contract'
import { type RequestHandler, Router } from 'express'
import { clientOf } from '../http/limits/client-of.ts'
import { FairQueue, type QueueLimits } from '../http/limits/shares.ts'
import { answer } from './answer.ts'
import { batchRoute } from './batch.ts'

/** Most come out of the database: half of the machine is left to the indexer, which writes to it. */
const MOST_SLOTS = 8

/** Reads at a time; and those of one client and of all that may wait. */
const QUEUE: QueueLimits = {
  slots: Math.min(MOST_SLOTS, Math.ceil(availableParallelism() / 2)),
  perClient: 1_024,
  total: 8_192,
}

/** All routes under `/v1`: those that are declared, each with its handler. */
export function v1Routes(handlers: V1Handlers): Router {
  const router = Router()
  const queue = new FairQueue(QUEUE)
  for (const [operation, route] of Object.entries<Route>(V1_ROUTES)) {
    const handler = handlers[operation as keyof V1Handlers]
    router.get(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), answerWith(route, handler as HandlerOf<Route>, queue))
  }
  router.post(V1_BATCH.path, ...batchRoute(handlers, queue))
  return router
}

function answerWith(route: Route, handler: HandlerOf<Route>, queue: FairQueue): RequestHandler {
  return async (request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Error('the reader is gone')))
    const { path, params, query } = request
    const csv = route.kind === 'list' && request.accepts(['application/json', 'text/csv']) === 'text/csv'
    const raw = { path, params, query, csv }
    const { headers, text } = await queue.run(clientOf(request), () => {
      gone.signal.throwIfAborted()
      return answer(route, handler, raw, { signal: gone.signal })
    })
    if (route.kind === 'list') response.vary('Accept')
    response.set(headers).send(text)
  }
}
