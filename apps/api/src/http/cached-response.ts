import { hash } from 'node:crypto'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import type { Request, Response } from 'express'

const compress = promisify(gzipWithCallback)
const FAST = { level: 1 }
const MIN_COMPRESSED = 1_024
/** Longer text would be copied for each response. */
const MAX_TEXT = 65_536

export interface CachedResponse {
  /** Text only if it is ASCII, because Node then sends it in one piece with the headers. */
  body: string | Buffer
  etag: string
  length: number
  headers: Readonly<Record<string, string>>
  /** This response with gzip, once a client accepts that. */
  gzip?: Promise<CachedResponse>
}

export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>>): CachedResponse {
  return textResponse(JSON.stringify(value), { ...headers, 'Content-Type': 'application/json; charset=utf-8' })
}

export function textResponse(text: string, headers: CachedResponse['headers']): CachedResponse {
  const isText = text.length <= MAX_TEXT && Buffer.byteLength(text) === text.length
  return cachedResponse(isText ? text : Buffer.from(text), headers)
}

/** @param body text only if it is ASCII */
export function cachedResponse(body: CachedResponse['body'], headers: CachedResponse['headers']): CachedResponse {
  return { body, length: body.length, etag: `"${hash('sha1', body, 'base64url')}"`, headers }
}

export async function inCoding(request: Request, response: Response, plain: CachedResponse): Promise<CachedResponse> {
  response.vary('Accept-Encoding')
  if (plain.length < MIN_COMPRESSED || request.acceptsEncodings(['gzip', 'identity']) !== 'gzip') return plain
  plain.gzip ??= compress(plain.body, FAST).then((body) =>
    cachedResponse(body, { ...plain.headers, 'Content-Encoding': 'gzip' }),
  )
  return plain.gzip
}

/**
 * Sends a response, or 304 if the client has it already. Bypasses Express, which would compute the headers again each
 * time.
 */
export function sendCached(
  request: Request,
  response: Response,
  { body, length, etag, headers }: CachedResponse,
): void {
  response.setHeader('ETag', etag)
  if (isKnown(request, etag)) {
    for (const name in headers) if (name !== 'Content-Type') response.setHeader(name, headers[name] as string)
    response.statusCode = 304
    response.end()
    return
  }
  for (const name in headers) response.setHeader(name, headers[name] as string)
  response.setHeader('Content-Length', length)
  if (request.method === 'HEAD') response.end()
  else if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}

/** Returns whether the client has the response with this ETag (RFC 9110 section 13.1.2, weak comparison). */
export function isKnown({ headers }: Request, etag: string): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch === undefined) return false
  // Not a regular expression: a client may put 32,000 spaces between two commas.
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim())
  return tags.some((tag) => tag === '*' || tag === etag || tag === `W/${etag}`)
}

export interface StaticResponse {
  plain: CachedResponse
  gzip: CachedResponse
  br?: CachedResponse
}

/** Sends the smallest encoding that the client accepts. Browsers list `br` last, without a preference. */
export function sendStatic(request: Request, response: Response, { plain, gzip, br }: StaticResponse): void {
  response.vary('Accept-Encoding')
  const best = br !== undefined && request.acceptsEncodings('br') === 'br' ? br : null
  sendCached(request, response, best ?? (request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? gzip : plain))
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** Returns the headers of a file, by the end of its name. */
export function fileHeaders(name: string, cacheControl: string): CachedResponse['headers'] {
  return { 'Cache-Control': cacheControl, 'Content-Type': TYPES[extname(name)] ?? '' }
}

/** @param name a file name, whose end tells the type */
export async function staticResponse(name: string, text: string | Buffer): Promise<StaticResponse> {
  const headers = fileHeaders(name, 'public, max-age=300')
  const body = Buffer.from(text)
  const gzip = cachedResponse(await compress(body), { ...headers, 'Content-Encoding': 'gzip' })
  return { plain: cachedResponse(body, headers), gzip }
}
