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
  'X-Price-Basis',
  'X-Quote-Partial',
  'X-Request-Id',
  'Link',
]

/** Headers of data that is not a page. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xFrameOptions: { action: 'deny' },
    // Whether there is TLS in front of us is not ours to say.
    strictTransportSecurity: false,
  })
}

/** Pages of any origin may read, without credentials. */
export function allowAnyOrigin(): RequestHandler {
  return cors({ origin: '*', methods: ['GET'], exposedHeaders: [...EXPOSED, 'Retry-After'], maxAge: DAY_S })
}
