import { randomUUID } from 'node:crypto'
import type { Logger } from '@dexfeed/service'
import type { Express, Request, RequestHandler, Response } from 'express'

const REQUEST_ID = /^[\w-]{1,64}$/

declare module 'express-serve-static-core' {
  interface Request {
    id: string
    readonly log: Logger
  }
}

export type OnCompleted = (request: Request, response: Response, ms: number) => void

export function requestLog(app: Express, log: Logger, onCompleted: OnCompleted): RequestHandler {
  Object.defineProperty(app.request, 'log', {
    get(this: Request) {
      return log.child({ reqId: this.id })
    },
  })
  return (request, response, next) => {
    const given = request.headers['x-request-id']
    request.id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    response.setHeader('X-Request-Id', request.id)
    const started = performance.now()
    // `close` is emitted only once, and `once` would cost as much as a guard.
    response.on('close', () => {
      const ms = performance.now() - started
      onCompleted(request, response, ms)
      logRequest(request, response, ms, log)
    })
    next()
  }
}

function logRequest(request: Request, response: Response, responseTime: number, log: Logger): void {
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
  // Polled by whatever starts the process.
  if (originalUrl.startsWith('/readyz')) return 'debug'
  if (statusCode >= 500) return 'warn'
  return statusCode >= 400 ? 'info' : 'debug'
}
