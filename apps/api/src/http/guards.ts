import { v1Methods } from '@dexfeed/contract'
import { METHODS } from '@dexfeed/service'
import type { Request, RequestHandler, Response } from 'express'
import { HttpFailure } from './http-failure.ts'

/** Room for two tokens of 128 characters, four percent-encoded bytes each. */
const MAX_URL_LENGTH = 4_096

const READ_METHODS = METHODS.split(', ')

export type Guard = (request: Request, response: Response) => void

export function guarded(...guards: readonly Guard[]): RequestHandler {
  return (request, response, next) => {
    for (const guard of guards) guard(request, response)
    next()
  }
}

/** Refuses methods other than reads. POST is a read whose request is too long for a URL. */
export function refuseOtherMethods(request: Request, response: Response): void {
  const { method, url } = request
  const methods = url.includes('/v1/') ? v1Methods(request.path) : READ_METHODS
  const isAllowed = methods.includes(method)
  if (!isAllowed || method === 'OPTIONS') response.set('Allow', methods.join(', '))
  if (!isAllowed) {
    // The body stays unread and must not be parsed as the next request.
    response.set('Connection', 'close')
    throw new HttpFailure(405, `only ${methods.join(', ')} are supported`)
  }
}

/** Closes connections during shutdown, so that no client sends a request to a process that has ended. */
export function closeWhile(isDraining: () => boolean): Guard {
  return (_request, response) => {
    if (isDraining()) response.setHeader('Connection', 'close')
  }
}

const HOST = /^([\w.~%!$&'()*+,;=-]{1,255}|\[[\da-fA-F:.]{2,45}\])(:\d{0,5})?$/

/** Requires exactly one valid Host (RFC 9112 section 3.2). */
export function refuseBadHost({ httpVersion, rawHeaders, headers }: Request): void {
  if (countOf('host', rawHeaders) > 1) throw new HttpFailure(400, 'the header Host must be given once')
  if (httpVersion === '1.1' && !headers.host) throw new HttpFailure(400, 'the header Host is missing')
  if (headers.host && !HOST.test(headers.host)) throw new HttpFailure(400, 'the header Host is malformed')
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? ''
    if (given.length === name.length && given.toLowerCase() === name) count++
  }
  return count
}

export function refuseLongUrls({ originalUrl }: Request): void {
  if (originalUrl.length > MAX_URL_LENGTH) throw new HttpFailure(414, 'the URL is too long')
}

/** With `no-cache`, Express would ignore `If-None-Match`, but the header is meant for caches in between. */
export function ignoreRequestCacheControl({ headers }: Request): void {
  if (headers['cache-control'] !== undefined) delete headers['cache-control']
}

export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
