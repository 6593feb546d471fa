import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Logger } from '@dexfeed/service'
import { pinoHttp } from 'pino-http'

const REQUEST_ID = /^[\w-]{1,64}$/

/** Logs every request under an id, which comes from `X-Request-Id` where that is harmless and goes out with it. */
export function requestLog(log: Logger) {
  return pinoHttp({
    logger: log,
    genReqId(request, response) {
      const given = request.headers['x-request-id']
      const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
      response.setHeader('X-Request-Id', id)
      return id
    },
    customLogLevel: (request, response, error) => {
      // Whoever starts us asks this until it works.
      if (request.url?.startsWith('/readyz')) return 'debug'
      if (response.statusCode >= 500 || error) return 'warn'
      return response.statusCode >= 400 ? 'info' : 'debug'
    },
    quietReqLogger: true,
    serializers: {
      req: ({ id, method, url }: IncomingMessage & { id: unknown }) => ({ id, method, url }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
  })
}
