import { SECOND } from '@dexfeed/dex'
import type { RequestHandler } from 'express'
import { rateLimit as limiter } from 'express-rate-limit'
import { sendFailure } from './failure-handler.ts'
import { HttpFailure } from './http-failure.ts'

const HEALTH = new Set(['/livez', '/readyz'])

/** At most `perSecond` requests a second and client; health checks are free, 0 is no limit. */
export function rateLimit(perSecond: number): RequestHandler {
  if (perSecond === 0) return (_request, _response, next) => next()
  return limiter({
    windowMs: SECOND,
    limit: perSecond,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (request) => HEALTH.has(request.path),
    handler: (_request, response) => {
      sendFailure(response, new HttpFailure(429, 'too many requests; try again in a second', { 'Retry-After': '1' }))
    },
    // A header that we do not trust is not worth a warning.
    validate: { xForwardedForHeader: false, forwardedHeader: false },
  })
}
