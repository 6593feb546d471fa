import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import type { MessageClasses } from '@dexfeed/service'
import type { Express, Request, Response } from 'express'
import { failureHandler } from './failure-handler.ts'

/** Sees every request before any route. @throws why it is to reach none; whoever ends the response has answered it */
export type Guard = (request: Request, response: Response) => void

/** Answers a request, or throws or rejects with why it cannot. */
export type ShortRoute = (request: Request, response: Response) => void | Promise<void>

/**
 * The way of every request: past the guards, then to a short route if its path is just that one's, else through the
 * app. Express takes longer to come to a route, and to each middleware, than short ones take to work.
 *
 * @param routes by path; the app has them, too, for paths that are written in another way
 */
export function frontOf(
  app: Express,
  guards: readonly Guard[],
  routes: ReadonlyMap<string, ShortRoute>,
): RequestListener {
  const matches = new Map([...routes].map(([path, answer]) => [path, { answer, route: { path } }]))
  return (incoming, outgoing) => {
    const request = incoming as Request
    const response = outgoing as Response
    asInApp(app, request, response)
    const fail = (error: unknown) => failureHandler(error, request, response, () => {})
    try {
      for (const guard of guards) {
        guard(request, response)
        if (response.writableEnded) return
      }
      const match = matches.get(pathOf(request.url))
      if (match === undefined) return app(request, response)
      request.route = match.route
      const answering = match.answer(request, response)
      if (answering instanceof Promise) answering.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
}

/**
 * Messages that are from their beginning what an app makes of them. Express gives each one the prototypes that are the
 * app's, and what Node does with an object whose prototype has changed is slow: an answer takes three times as long.
 * Where it has that prototype already, nothing changes.
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

/** What Express makes of messages before any of its middleware sees them. */
function asInApp(app: Express, request: Request, response: Response): void {
  // Plain ones: of a server that was not told of the app's, and the response on a connection that is taken over.
  if (request.app === undefined) Object.setPrototypeOf(request, app.request)
  if (response.app === undefined) Object.setPrototypeOf(response, app.response)
  request.res = response
  response.req = request
  request.originalUrl = request.url
}

/** The path of a request's target. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
