import type { Request, RequestHandler } from 'express'
import { sendStatic } from '../http/cached-response.ts'
import { pathOf } from '../http/guards.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { pagePolicy } from '../http/security-headers.ts'
import type { WebFiles } from './web-files.ts'

/** All these paths serve the same HTML, whose script selects the view. */
const PAGES = /^\/(?:$|(?:trade|explain|health)\/?$|(?:token|pool)\/)/

/**
 * Serves the page and its assets. A request for a page that does not explicitly prefer HTML goes on to the next route.
 * `files` is null if the page is not built.
 */
export function webRoutes(files: WebFiles | null): RequestHandler {
  // Charts set their styles by script, which needs no permission.
  const policy = pagePolicy()
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

/** Browsers name `text/html`. A wildcard is not enough, because programs send it, too. */
function prefersHtml(request: Request): boolean {
  const { accept = '' } = request.headers
  return /\btext\/html\b/i.test(accept) && request.accepts(['json', 'html']) === 'html'
}
