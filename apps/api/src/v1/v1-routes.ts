import { type Route, V1_BATCH, V1_ROUTES, type V1Handlers } from '@dexfeed/contract'
import { type RequestHandler, Router } from 'express'
import { type Answering, OF_THE_MARKET } from './answer.ts'
import { answerBatch } from './batch.ts'
import { type Dispatcher, JSON_TYPE } from './dispatcher.ts'
import { readBody } from './json-body.ts'

export function v1Routes(answer: Answering, dispatcher: Dispatcher): Router {
  const router = Router()
  const bodies = readBody(dispatcher.limits)
  for (const [name, { kind, maxAgeS, path: form }] of Object.entries<Route>(V1_ROUTES)) {
    const operation = name as keyof V1Handlers
    const variesByAccept = kind === 'list'
    const isKept = kind !== 'post' && maxAgeS > 0 && !OF_THE_MARKET.has(operation)
    const handler: RequestHandler = (request, response) => {
      const { path, params, query, body } = request
      const csv = variesByAccept && request.accepts(['application/json', 'text/csv']) === 'text/csv'
      const dispatched = { key: isKept ? [path, query, csv] : null, maxAgeS, variesByAccept }
      const raw = { operation, path, params, query, csv, body }
      return dispatcher.dispatch(request, response, dispatched, (by) => answer(raw, by))
    }
    const path = form.replaceAll(/\{(\w+)\}/g, ':$1')
    if (kind === 'post') router.post(path, ...bodies, handler)
    else router.get(path, handler)
  }
  router.post(V1_BATCH.path, ...bodies, async (request, response) => {
    const by = dispatcher.requester(request, response)
    const text = await answerBatch(request, by, answer, (length) => dispatcher.limits.hold(request, response, length))
    response.set({ 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE }).send(text)
  })
  return router
}
