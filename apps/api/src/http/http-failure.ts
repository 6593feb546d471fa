import type { ServerResponse } from 'node:http'
import { type ErrorCode, errorCodeOf, InvalidRequest } from '@dexfeed/contract'
import { failureBody } from '@dexfeed/service'
import { LakeTooMuch, LakeUnavailable, StoreError } from '@dexfeed/store'
import type { NextFunction, Request, Response } from 'express'

export class HttpFailure extends Error {
  override readonly name: string = 'HttpFailure'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly code: ErrorCode

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    code: ErrorCode = errorCodeOf(status),
  ) {
    super(message)
    this.status = status
    this.headers = headers
    this.code = code
  }
}

export function notNow(message: string, retryAfterS = 1): HttpFailure {
  return new HttpFailure(503, message, { 'Retry-After': String(retryAfterS) })
}

export function notIndexed(network: string): HttpFailure {
  return new HttpFailure(404, `${network} is not indexed by this server`, {}, 'network_not_indexed')
}

const LAKE_RETRY_S = 5

const REQUEST_MESSAGES: Record<number, string> = {
  400: 'the request is malformed',
  404: 'there is nothing under this path',
  413: 'the request is too large',
  415: 'the body must be plain JSON',
}

/** Responds with `{ error }`, under `/v1` with `{ error, code }`. Closes the connection if a response has begun. */
export function failureHandler(error: unknown, request: Request, response: Response, _next: NextFunction): void {
  if (response.destroyed) return
  // The client's connection failed. Not logged: clients must not be able to fill the log.
  if (error === request.socket.errored) {
    response.destroy()
    return
  }
  const failure = toFailure(error)
  if (failure.status === 500) request.log.error({ err: error }, 'request failed')
  if (response.headersSent) {
    // A partial response must not look complete.
    response.destroy()
    return
  }
  sendFailure(response, failure)
}

export function notFound(_request: Request, response: Response): void {
  sendFailure(response, new HttpFailure(404, 'there is nothing under this path'))
}

export function refuseTarget(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  sendFailure(response as Response, new HttpFailure(400, 'the request is malformed'))
}

const OF_ANSWERS = ['ETag', 'Last-Modified', 'Link', 'Content-Encoding']

function sendFailure(response: Response, { status, message, headers, code }: HttpFailure): void {
  const body = failureBody(message, response.req.originalUrl, { status, code })
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

export function toFailure(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error
  if (error instanceof InvalidRequest) return new HttpFailure(400, error.message, {}, error.code)
  if (error instanceof LakeTooMuch) return tooMuch()
  if (error instanceof LakeUnavailable) return notNow('days that only the lake has are not available now', LAKE_RETRY_S)
  if (error instanceof StoreError && error.timedOut) return tooSlow()
  if (error instanceof StoreError && error.retryable) return notNow('the database is not available now')
  const status = requestStatus(error)
  if (status !== null) return new HttpFailure(status, REQUEST_MESSAGES[status] ?? 'the request cannot be processed')
  return new HttpFailure(500, 'internal error')
}

function tooMuch(): HttpFailure {
  return new HttpFailure(400, 'the days asked for hold too much: ask for less time', {}, 'invalid_parameter')
}

function tooSlow(): HttpFailure {
  const message = 'the database takes too long; try a narrower filter or less time'
  return new HttpFailure(503, message, { 'Retry-After': '1' }, 'query_timeout')
}

function requestStatus(error: unknown): number | null {
  if (!(error instanceof Error)) return null
  if (error instanceof URIError) return 400
  const status = 'status' in error ? error.status : null
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null
}
