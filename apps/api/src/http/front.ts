import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import type { MessageClasses } from '@dexfeed/service'
import type { Express, Request, Response } from 'express'
import { failureHandler } from './failure-handler.ts'
import { type Guard, pathOf } from './guards.ts'
import { clientOf } from './limits/client-of.ts'
import type { Turns } from './limits/turns.ts'

/** Responds to a request, or throws or rejects with the reason why not. */
export type ShortRoute = (request: Request, response: Response) => void | Promise<void>

/**
 * Returns the listener for all requests. A request passes the guards, then goes to a short route if its path equals
 * that route's, else through the app. Express takes longer to find a route, and per middleware, than short routes take
 * to respond. If requests have blocked the process for some milliseconds, the next ones begin in turns of their clients.
 *
 * @param routes by path; the app has them, too, for other spellings of the path
 */
export function frontOf(
  app: Express,
  guards: readonly Guard[],
  routes: ReadonlyMap<string, ShortRoute>,
  turns: Pick<Turns, 'isFree' | 'run'>,
): RequestListener {
  const matches = new Map([...routes].map(([path, send]) => [path, { send, route: { path } }]))
  const fail = (error: unknown, request: Request, response: Response) =>
    failureHandler(error, request, response, () => {})
  const respond = (request: Request, response: Response) => {
    try {
      for (const guard of guards) {
        guard(request, response)
        if (response.writableEnded) return
      }
      const match = matches.get(pathOf(request.url))
      if (match === undefined) return app(request, response)
      request.route = match.route
      const sending = match.send(request, response)
      if (sending instanceof Promise) sending.catch((error: unknown) => fail(error, request, response))
    } catch (error) {
      fail(error, request, response)
    }
  }
  return (incoming, outgoing) => {
    const request = incoming as Request
    const response = outgoing as Response
    asInApp(app, request, response)
    if (turns.isFree) return respond(request, response)
    const begin = () => (request.socket.destroyed ? undefined : respond(request, response))
    turns.run(clientOf(request), begin).catch((error: unknown) => fail(error, request, response))
  }
}

/**
 * Returns message classes with the app's prototypes. Express sets these prototypes on each message, and Node is slow
 * with objects whose prototype has changed: a response takes three times as long. If a message already has the
 * prototype, nothing changes.
 */
export function messagesOf(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  app.request = AppRequest.prototype as unknown as Request
  app.response = AppResponse.prototype as unknown as Response
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as unknown as typeof ServerResponse }
}

/** Prepares messages as Express does before its middleware. */
function asInApp(app: Express, request: Request, response: Response): void {
  // Plain messages: of a server without the app's classes, or the response on an upgraded connection.
  if (request.app === undefined) Object.setPrototypeOf(request, app.request)
  if (response.app === undefined) Object.setPrototypeOf(response, app.response)
  request.res = response
  response.req = request
  request.originalUrl = request.url
}
