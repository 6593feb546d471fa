import type { NextFunction, Request, Response } from 'express'
import { HttpFailure } from './http-failure.ts'

export const METHODS = 'GET, HEAD, OPTIONS'
/** Two tokens of 128 characters, four percent-encoded bytes each, and some. */
const MAX_URL_LENGTH = 4_096

/** Nothing here can be written. */
export function refuseOtherMethods({ method }: Request, response: Response, next: NextFunction): void {
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead) response.set('Allow', METHODS)
  if (!isRead && method !== 'OPTIONS') throw new HttpFailure(405, `only ${METHODS} are answered`)
  next()
}

/** HTTP/1.1, RFC 9112 section 3.2. */
export function refuseMissingHost(request: Request, _response: Response, next: NextFunction): void {
  if (request.httpVersion === '1.1' && !request.headers.host) throw new HttpFailure(400, 'the header Host is missing')
  next()
}

export function refuseLongUrls(request: Request, _response: Response, next: NextFunction): void {
  if (request.originalUrl.length > MAX_URL_LENGTH) throw new HttpFailure(414, 'the URL is too long')
  next()
}

/**
 * `Cache-Control` of a request speaks to caches on the way. Express takes `no-cache` for a reason to ignore
 * `If-None-Match`, but the comparison with the current ETag is as fresh as can be.
 */
export function ignoreRequestCacheControl(request: Request, _response: Response, next: NextFunction): void {
  delete request.headers['cache-control']
  next()
}
