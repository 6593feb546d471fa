import type { Request, RequestHandler } from 'express'
import { inCoding, sendCached } from '../http/cached-response.ts'
import { type Answer, JSON_TYPE, type Requester } from '../v1/answer.ts'
import type { KeptAnswers } from '../v1/kept-answers.ts'
import { type Limits, requesterOf } from '../v1/v1-routes.ts'

export interface FaceLimits extends Limits {
  kept: KeptAnswers
}

type Faced = ({ body: unknown } | { text: string }) & { headers?: Record<string, string> }

/** Answers of faces are valid as long as those of `/v1`. */
const MAX_AGE_S = 1

/** Serves the face of another service, with the cache and the limits of `/v1`. */
export function faceRoute(
  answer: (request: Request, by: Requester) => Promise<Faced>,
  { kept, rates, hold, turns }: FaceLimits,
): RequestHandler {
  return async (request, response) => {
    const by = requesterOf(request, response, rates)
    const asked = { key: JSON.stringify([request.path, request.query]), maxAgeS: MAX_AGE_S, by }
    const plain = await kept(asked, async (): Promise<Answer> => {
      const { headers, ...faced } = await answer(request, by)
      const text = 'text' in faced ? faced.text : JSON.stringify(faced.body)
      const caching = { 'Cache-Control': `public, max-age=${MAX_AGE_S}`, 'Content-Type': JSON_TYPE }
      return { headers: { ...caching, ...headers }, text }
    })
    const coded = await inCoding(request, response, plain)
    await turns.next(by.client)
    hold(request, response, coded.length)
    sendCached(request, response, coded)
  }
}
