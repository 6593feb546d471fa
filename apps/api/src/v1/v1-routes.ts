import { type Route, V1_BATCH, V1_ROUTES, type V1Handlers } from '@dexfeed/contract'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { inCoding, sendCached } from '../http/cached-response.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import type { RateLimit } from '../http/limits/rate-limit.ts'
import type { Turns } from '../http/limits/turns.ts'
import { type Answering, JSON_TYPE, OF_THE_MARKET, type RawRead, type Requester } from './answer.ts'
import { answerBatch } from './batch.ts'
import { readBody } from './json-body.ts'
import type { KeptAnswers } from './kept-answers.ts'

export interface Limits {
  rates: RateLimit
  hold: HoldBody
  turns: Turns
}

export function v1Routes(answer: Answering, kept: KeptAnswers, limits: Limits): Router {
  const send = async (raw: RawRead, request: Request, response: Response) => {
    const by = requesterOf(request, response, limits.rates)
    const { maxAgeS, kind }: Route = V1_ROUTES[raw.operation]
    const prepare = async (length: number) => {
      await limits.turns.next(by.client)
      limits.hold(request, response, length)
      if (kind === 'list') response.vary('Accept')
    }
    if (kind === 'post' || maxAgeS === 0 || OF_THE_MARKET.has(raw.operation)) {
      const { headers, text } = await answer(raw, by)
      await prepare(text.length)
      response.set(headers).send(text)
      return
    }
    const key = JSON.stringify([raw.path, raw.query, raw.csv])
    const plain = await kept({ key, maxAgeS, by }, () => answer(raw, by))
    const coded = await inCoding(request, response, plain)
    await prepare(coded.length)
    sendCached(request, response, coded)
  }

  const router = Router()
  const bodies = readBody(limits)
  for (const [operation, route] of Object.entries<Route>(V1_ROUTES)) {
    const handler: RequestHandler = (request, response) => {
      const { path, params, query, body } = request
      const csv = route.kind === 'list' && request.accepts(['application/json', 'text/csv']) === 'text/csv'
      return send({ operation: operation as keyof V1Handlers, path, params, query, csv, body }, request, response)
    }
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    if (route.kind === 'post') router.post(path, ...bodies, handler)
    else router.get(path, handler)
  }
  router.post(V1_BATCH.path, ...bodies, async (request, response) => {
    const by = requesterOf(request, response, limits.rates)
    const text = await answerBatch(request, by, answer, (length) => limits.hold(request, response, length))
    response.set({ 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE }).send(text)
  })
  return router
}

export function requesterOf(request: Request, response: Response, rates: RateLimit): Requester {
  return {
    client: clientOf(request),
    signal: disconnectSignal(response),
    charge: (further) => rates.charge(request, response, further),
  }
}
