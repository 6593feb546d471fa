import { InvalidRequest } from '@dexfeed/contract'
import { failureBody } from '@dexfeed/service'
import { StoreError } from '@dexfeed/store'
import type { NextFunction, Request, Response } from 'express'
import { HttpFailure, notNow } from './http-failure.ts'

/** What Express and its middleware throw for a request that they cannot take. */
const REQUEST_MESSAGES: Record<number, string> = {
  400: 'the request is malformed',
  404: 'there is nothing under this path',
  413: 'the request is too large',
  415: 'the body must be plain JSON',
  416: 'the range cannot be satisfied',
}

/**
 * Answers every failure of a route with `{ error }`, under `/v1` with `{ error, code }`, or cuts the connection where an
 * answer has begun.
 */
export function failureHandler(error: unknown, request: Request, response: Response, _next: NextFunction): void {
  if (response.destroyed) return
  // The client's connection failed while the response was written. It is not logged: clients must not fill the log.
  if (error === request.socket.errored) {
    response.destroy()
    return
  }
  const failure = toFailure(error)
  if (failure.status === 500) request.log.error({ err: error }, 'request failed')
  if (response.headersSent) {
    // What was sent must not look whole.
    response.destroy()
    return
  }
  sendFailure(response, failure)
}

/** No route matched. */
export function notFound(_request: Request, response: Response): void {
  sendFailure(response, new HttpFailure(404, 'there is nothing under this path'))
}

/** What only an answer has, and may be set already. */
const OF_ANSWERS = ['ETag', 'Last-Modified', 'Link', 'Content-Encoding', 'Content-Range']

function sendFailure(response: Response, { status, message, headers, code }: HttpFailure): void {
  const body = failureBody(message, response.req.originalUrl, code)
  for (const name of OF_ANSWERS) response.removeHeader(name)
  response
    .status(status)
    .set({
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      ...headers,
    })
    // Not send(), which would add an ETag.
    .end(body)
}

/** What a caller learns of an error. */
export function toFailure(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error
  if (error instanceof InvalidRequest) return new HttpFailure(400, error.message, {}, error.code)
  if (error instanceof StoreError && error.timedOut) return tooSlow()
  if (error instanceof StoreError && error.retryable) return notNow('the database cannot answer now')
  const status = requestStatus(error)
  if (status !== null) return new HttpFailure(status, REQUEST_MESSAGES[status] ?? 'the request cannot be answered')
  return new HttpFailure(500, 'internal error')
}

function tooSlow(): HttpFailure {
  const message = 'the database takes too long; where there are filters, a narrower one or less time takes less'
  return new HttpFailure(503, message, { 'Retry-After': '1' }, 'query_timeout')
}

/** The 4xx status that an error of Express carries. */
function requestStatus(error: unknown): number | null {
  if (!(error instanceof Error)) return null
  if (error instanceof URIError) return 400
  const status = 'status' in error ? error.status : null
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null
}
