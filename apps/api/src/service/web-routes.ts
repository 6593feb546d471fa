import type { Request, RequestHandler, Response } from 'express'
import helmet from 'helmet'
import { sendStatic } from '../http/cached-response.ts'
import { pathOf } from '../http/guards.ts'
import { HttpFailure } from '../http/http-failure.ts'
import type { WebFiles } from './web-files.ts'

/** The paths of the page. All have the same HTML; its script shows the view. */
const PAGES = /^\/(?:$|(?:trade|explain|health)\/?$|(?:token|pool)\/)/

/**
 * Serves the page and its assets. A request for a page's path that does not explicitly prefer HTML goes on to the next
 * route. `files` is null if the page is not built.
 */
export function webRoutes(files: WebFiles | null): RequestHandler {
  const policy = webPolicy()
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next()
    const path = pathOf(request.url)
    const asset = files?.assets.get(path)
    if (asset !== undefined) {
      request.route = { path: '/assets/*' }
      return sendStatic(request, response, asset)
    }
    if (!PAGES.test(path)) return next()
    response.vary('Accept')
    if (!prefersHtml(request)) return next()
    if (files === null) throw new HttpFailure(404, 'the page is not built: run `npm run build`, then restart the API')
    request.route = { path: '/' }
    policy(request, response, () => sendStatic(request, response, files.index))
  }
}

/** Browsers name `text/html`. A wildcard is not enough: programs send it, too. */
function prefersHtml(request: Request): boolean {
  const { accept = '' } = request.headers
  return /\btext\/html\b/i.test(accept) && request.accepts(['json', 'html']) === 'html'
}

/** Allows what this server sends, and nothing inline. Charts set their styles by script, which is allowed anyway. */
function webPolicy(): (request: Request, response: Response, next: () => void) => void {
  return helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  })
}
