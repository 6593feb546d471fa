import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, Response } from 'express'
import { type CachedResponse, cachedResponse, sendCached } from './cached-response.ts'

const compressed = promisify(gzip)

/** A response that never changes while the process runs. Compressed once: a large body takes longer than a quote. */
export interface StaticResponse {
  plain: CachedResponse
  gzip: CachedResponse
  br?: CachedResponse
}

/** Sends the smallest coding that the client accepts. Browsers list `br` last, without a preference. */
export function sendStatic(request: Request, response: Response, { plain, gzip, br }: StaticResponse): void {
  response.vary('Accept-Encoding')
  const best = br !== undefined && request.acceptsEncodings('br') === 'br' ? br : null
  sendCached(request, response, best ?? (request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? gzip : plain))
}

/** Makes a response of a body that clients may keep for five minutes. */
export async function staticResponse(type: string, body: Buffer): Promise<StaticResponse> {
  const headers = { 'Cache-Control': 'public, max-age=300', 'Content-Type': type }
  const gzipped = await compressed(body)
  return {
    plain: cachedResponse(body, headers),
    gzip: cachedResponse(gzipped, { ...headers, 'Content-Encoding': 'gzip' }),
  }
}
