import { randomUUID } from 'node:crypto'
import type { Logger } from '@dexfeed/service'
import type { Express, Request, Response } from 'express'
import type { Guard } from './front.ts'

const REQUEST_ID = /^[\w-]{1,64}$/

declare module 'express-serve-static-core' {
  interface Request {
    /** From `X-Request-Id` where that is harmless; it goes out with the response. */
    id: string
    /** Says under which id. */
    readonly log: Logger
  }
}

/** @param ms from a request's first guard until its response has ended or was cut off */
export type OnAnswered = (request: Request, response: Response, ms: number) => void

/** Logs every request of an app under its id, as far as the level is one that is logged, and tells how long it took. */
export function requestLog(app: Express, log: Logger, onAnswered: OnAnswered): Guard {
  // Made for the few that have something to say.
  Object.defineProperty(app.request, 'log', {
    get(this: Request) {
      return log.child({ reqId: this.id })
    },
  })
  return (request, response) => {
    const given = request.headers['x-request-id']
    request.id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    response.setHeader('X-Request-Id', request.id)
    const started = performance.now()
    // It comes once. A listener costs as much as a guard.
    response.on('close', () => {
      const ms = performance.now() - started
      onAnswered(request, response, ms)
      tell(request, response, ms, log)
    })
  }
}

function tell(request: Request, response: Response, responseTime: number, log: Logger): void {
  const level = levelOf(request, response)
  if (!log.isLevelEnabled(level)) return
  const { id, method, originalUrl: url } = request
  const { statusCode } = response
  const message = response.writableFinished ? 'request completed' : 'request aborted'
  log[level](
    { reqId: id, req: { id, method, url }, res: { statusCode }, responseTime: Math.round(responseTime) },
    message,
  )
}

function levelOf({ originalUrl }: Request, { statusCode }: Response): 'debug' | 'info' | 'warn' {
  // Whoever starts us asks this until it works.
  if (originalUrl.startsWith('/readyz')) return 'debug'
  if (statusCode >= 500) return 'warn'
  return statusCode >= 400 ? 'info' : 'debug'
}
