import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Request, RequestHandler, Response } from 'express'
import {
  cachedResponse,
  fileHeaders,
  inCoding,
  type StaticResponse,
  sendCached,
  sendStatic,
} from '../http/cached-response.ts'
import { pathOf } from '../http/guards.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { pagePolicy } from '../http/security-headers.ts'
import { type SitePage, sitePage } from './site-page.ts'

export interface WebFiles {
  index: StaticResponse
  /** The same, to be filled with a title and text. */
  html: string
  assets: ReadonlyMap<string, StaticResponse>
}

/** Reads the built page into memory, so that a later build does not mix with it; null if it is not built. */
export async function readWebFiles(folder: string): Promise<WebFiles | null> {
  try {
    const names = await readdir(join(folder, 'assets'))
    // The build compresses each file that is served.
    const paths = names.filter((name) => names.includes(`${name}.gz`)).map((name) => `/assets/${name}`)
    const assets = paths.map(async (path): Promise<[string, StaticResponse]> => {
      return [path, await readStatic(join(folder, path), 'public, max-age=31536000, immutable')]
    })
    return {
      index: await readStatic(join(folder, 'index.html'), 'no-cache'),
      html: await readFile(join(folder, 'index.html'), 'utf8'),
      assets: new Map(await Promise.all(assets)),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function readStatic(file: string, cacheControl: string): Promise<StaticResponse> {
  const headers = fileHeaders(file, cacheControl)
  const [plain, gzip, br] = await Promise.all([readFile(file), readFile(`${file}.gz`), readFile(`${file}.br`)])
  return {
    plain: cachedResponse(plain, headers),
    gzip: cachedResponse(gzip, { ...headers, 'Content-Encoding': 'gzip' }),
    br: cachedResponse(br, { ...headers, 'Content-Encoding': 'br' }),
  }
}

/** All these paths serve the same HTML, whose script selects the view. */
const PAGES = /^\/(?:$|(?:tokens|pools|trade|explain|health)\/?$|(?:token|pool|trader)\/)/

/** Returns what the page of a path is about; null if that is unknown now. */
type Describe = (request: Request, response: Response) => Promise<SitePage | null>

/**
 * Serves the page and its assets. A request for a page that does not explicitly prefer HTML goes on to the next route.
 * `files` is null if the page is not built.
 */
export function webRoutes(files: WebFiles | null, describe: Describe): RequestHandler {
  // Charts set their styles by script, which needs no permission.
  const policy = pagePolicy()
  return async (request, response, next) => {
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
    policy(request, response, () => {})
    const page = await describe(request, response)
    if (page === null) return sendStatic(request, response, files.index)
    const html = Buffer.from(sitePage(files.html, page))
    const filled = cachedResponse(html, fileHeaders('index.html', 'no-cache'))
    sendCached(request, response, await inCoding(request, response, filled))
  }
}

/** Paths for programs, which get JSON even if the path does not exist. */
const PROGRAMS = /^\/(?:api|v1|udf|adapters|assets|docs)(?:\/|$)/

/** Serves a page of the site to browsers for a path that does not exist. */
export function missingPage(files: WebFiles | null): RequestHandler {
  const policy = pagePolicy()
  return (request, response, next) => {
    if ((request.method !== 'GET' && request.method !== 'HEAD') || PROGRAMS.test(pathOf(request.url))) return next()
    response.vary('Accept')
    if (files === null || !prefersHtml(request)) return next()
    policy(request, response, () => {})
    const html = sitePage(files.html, { title: 'Not found' })
    response.status(404).set(fileHeaders('index.html', 'no-store')).send(html)
  }
}

/** Browsers name `text/html`. A wildcard is not enough, because programs send it, too. */
function prefersHtml(request: Request): boolean {
  const { accept = '' } = request.headers
  return /\btext\/html\b/i.test(accept) && request.accepts(['json', 'html']) === 'html'
}
