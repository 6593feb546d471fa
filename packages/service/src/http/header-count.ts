import type { IncomingMessage, ServerResponse } from 'node:http'
import { failureBody } from './failure-body.ts'

/** Node silently drops headers beyond this number, perhaps even `Content-Length` or `Host`. */
export const MAX_HEADERS = 1_000

export const TOO_MANY_HEADERS = { status: 431, message: 'the request has too many headers' }

export function isCutShort({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length >= 2 * MAX_HEADERS
}

export function refuseCutShort({ method, url }: IncomingMessage, response: ServerResponse): void {
  const body = failureBody(TOO_MANY_HEADERS.message, url, {
    status: TOO_MANY_HEADERS.status,
    code: 'malformed_request',
  })
  response
    .writeHead(TOO_MANY_HEADERS.status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    })
    .end(method === 'HEAD' ? undefined : body)
}
