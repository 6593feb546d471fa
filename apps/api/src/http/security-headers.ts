import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { v1Methods } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import cors from 'cors'
import type { Request, RequestHandler, Response } from 'express'
import helmet from 'helmet'
import type { Guard } from './guards.ts'

const EXPOSED = [
  'X-Data-Complete',
  'X-Unpriced-Swaps',
  'X-Flagged-Swaps',
  'X-Wash-Flagged-Volume-Usd',
  'X-Indexed-Block',
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

/** Headers of data that is not a page. Pages of any origin may read it without credentials. */
export function securityHeaders(): Guard {
  // The libraries set the same headers on every request, so they run once.
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      xFrameOptions: { action: 'deny' },
      // The API does not know whether TLS ends before it.
      strictTransportSecurity: false,
    }),
    allowAnyOrigin(),
  )
  return (_request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value)
  }
}

/** Responds to OPTIONS, a browser's check of what pages may do. */
export function handlePreflight(): Guard {
  const allow = allowAnyOrigin()
  return (request, response) => {
    if (request.method === 'OPTIONS') void allow(request, response, () => {})
  }
}

function allowAnyOrigin(): RequestHandler {
  const all = { origin: '*', exposedHeaders: [...EXPOSED, 'Retry-After'], maxAge: DAY_S }
  return cors((request, done) => {
    done(null, { ...all, methods: v1Methods(request.path).filter((name) => name === 'GET' || name === 'POST') })
  })
}

/** Returns the headers that middleware sets on a GET. @throws when it does not call `next` immediately */
function headersOf(...middleware: readonly RequestHandler[]): [string, string | number | readonly string[]][] {
  const request = new IncomingMessage(new Socket())
  request.method = 'GET'
  const response = new ServerResponse(request)
  let handedOn = 0
  for (const handler of middleware) handler(request as Request, response as unknown as Response, () => handedOn++)
  if (handedOn !== middleware.length) throw new Error('headers that do not depend on the request are set immediately')
  return response.getHeaderNames().flatMap((name) => {
    const value = response.getHeader(name)
    return value === undefined ? [] : [[name, value]]
  })
}
