import type { RequestListener } from 'node:http'
import type { Express, Request, RequestHandler, Response } from 'express'
import { failureHandler } from './failure-handler.ts'

/** Answers a request, or rejects with why it cannot. */
export type ShortRoute = (request: Request, response: Response) => void | Promise<void>

/**
 * The way of every request: through the guards, then to a short route if its path is just that one's, else through the
 * app. Express takes longer to come to a route than a short one takes to answer.
 *
 * @param routes by path; the app has them, too, for paths that are written in another way
 */
export function frontOf(
  app: Express,
  guards: RequestHandler,
  routes: ReadonlyMap<string, ShortRoute>,
): RequestListener {
  return (incoming, outgoing) => {
    const [request, response] = asInApp(app, incoming as Request, outgoing as Response)
    const fail = (error: unknown) => failureHandler(error, request, response, () => {})
    const answer = (error?: unknown) => {
      if (error !== undefined) return fail(error)
      const path = pathOf(request.url)
      const route = routes.get(path)
      if (route === undefined) return app(request, response)
      request.route = { path }
      return Promise.resolve(route(request, response)).catch(fail)
    }
    try {
      void guards(request, response, answer)
    } catch (error) {
      fail(error)
    }
  }
}

/** What Express makes of messages before any of its middleware sees them. */
function asInApp(app: Express, request: Request, response: Response): [Request, Response] {
  Object.setPrototypeOf(request, app.request)
  Object.setPrototypeOf(response, app.response)
  request.res = response
  response.req = request
  request.originalUrl = request.url
  return [request, response]
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
