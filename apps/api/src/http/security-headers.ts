import { v1Methods } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import cors from 'cors'
import type { RequestHandler } from 'express'
import helmet from 'helmet'

const EXPOSED = [
  'X-Data-Complete',
  'X-Unpriced-Swaps',
  'X-Flagged-Swaps',
  'X-Wash-Flagged-Volume-Usd',
  'X-Indexed-Block',
  'X-Lake-Days',
  'X-Price-Basis',
  'X-Quote-Flags',
  'X-Quote-Partial',
  'X-Quote-Route',
  'X-Price-Impact',
  'X-Request-Id',
  'Link',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
]

export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xFrameOptions: { action: 'deny' },
    // TLS ends before the API, or is not used.
    strictTransportSecurity: false,
  })
}

const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
}

/** Returns a policy that allows what this server sends and nothing inline, except for the given directives. */
export function pagePolicy(directives: Partial<typeof PAGE_POLICY> = {}) {
  return helmet.contentSecurityPolicy({ useDefaults: false, directives: { ...PAGE_POLICY, ...directives } })
}

export function anyOrigin(): RequestHandler {
  return cors((request, done) => {
    const methods = v1Methods(request.path).filter((name) => name === 'GET' || name === 'POST')
    done(null, {
      origin: '*',
      methods,
      exposedHeaders: [...EXPOSED, 'Retry-After'],
      maxAge: DAY_S,
      preflightContinue: true,
    })
  })
}

/** Answers a browser's preflight request after the rate limits. `anyOrigin` has set its headers. */
export const answerPreflight: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS') return next()
  response.status(204).set('Content-Length', '0').end()
}
