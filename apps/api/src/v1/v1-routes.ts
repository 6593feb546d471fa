import { type HandlerOf, type Route, V1_BATCH, V1_ROUTES, type V1Handlers } from '@dexfeed/contract'
import { type RequestHandler, Router } from 'express'
import { answer } from './answer.ts'
import { batchRoute } from './batch.ts'

/** All routes under `/v1`: those that are declared, each with its handler. */
export function v1Routes(handlers: V1Handlers): Router {
  const router = Router()
  for (const [operation, route] of Object.entries<Route>(V1_ROUTES)) {
    const handler = handlers[operation as keyof V1Handlers]
    router.get(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), answerWith(route, handler as HandlerOf<Route>))
  }
  router.post(V1_BATCH.path, ...batchRoute(handlers))
  return router
}

function answerWith(route: Route, handler: HandlerOf<Route>): RequestHandler {
  return async (request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Error('the reader is gone')))
    const { path, params, query } = request
    const csv = route.kind === 'list' && request.accepts(['application/json', 'text/csv']) === 'text/csv'
    const { headers, text } = await answer(route, handler, { path, params, query, csv }, { signal: gone.signal })
    if (route.kind === 'list') response.vary('Accept')
    response.set(headers).send(text)
  }
}
