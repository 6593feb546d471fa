import type { IncomingMessage } from 'node:http'

/** Of one connection and not of the message (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What a client says of itself nobody behind may believe; that it waits for a "continue" it was told here. */
const NOT_OF_CLIENTS = new Set([
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
])

const LENGTH = new Set(['content-length'])
const NOTHING: ReadonlySet<string> = new Set()

/**
 * The headers of a request as the API gets them, names and values by turns: those of the client, without what is of the
 * connection, and with who it is. `hasBody`: whether its body follows.
 */
export function requestHeaders(request: IncomingMessage, client: string, hasBody: boolean): string[] {
  const headers = endToEnd(request, NOT_OF_CLIENTS, hasBody ? NOTHING : LENGTH)
  // Only HTTP/1.0 may come without; a request without in HTTP/1.1 is for the API to refuse.
  if (request.httpVersion === '1.0' && request.headers.host === undefined) headers.push('Host', 'api')
  headers.push('X-Forwarded-For', client)
  return headers
}

/** The headers of an answer as the client gets them. */
export function responseHeaders(answer: IncomingMessage): string[] {
  return endToEnd(answer, NOTHING, NOTHING)
}

/** The words of a header that lists some, in lower case. */
export function wordsOf(value: string | undefined): string[] {
  return (value ?? '')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function endToEnd(
  { rawHeaders, headers: { connection } }: IncomingMessage,
  ...left: readonly ReadonlySet<string>[]
): string[] {
  const named = connection === undefined ? NOTHING : new Set(wordsOf(connection))
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]]
    const lower = name.toLowerCase()
    if (HOP_BY_HOP.has(lower) || named.has(lower) || left.some((names) => names.has(lower))) continue
    kept.push(name, value)
  }
  return kept
}
