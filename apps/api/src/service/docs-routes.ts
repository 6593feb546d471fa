import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { type OpenApiDocument, openApiSteps } from '@dexfeed/contract'
import { type Request, type Response, Router } from 'express'
import swaggerUi from 'swagger-ui-express'
import { cachedRead } from '../http/cache.ts'
import { type StaticResponse, sendStatic, staticResponse } from '../http/cached-response.ts'
import { pagePolicy } from '../http/security-headers.ts'
import { guideRoutes } from './guide/guide-routes.ts'

const START = 'swagger-ui-init.js'
const ASSETS = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
]

/** swagger-ui uses inline styles. */
const DOCS_POLICY = {
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
}

type Documentation = ReadonlyMap<string, StaticResponse>

export function docsRoutes(version: string): Router {
  // Built on the first request, because it takes a while and is rarely requested.
  const documentation = cachedRead(async () => ({ value: await documentationOf(version) }))
  const send = (path: string) => async (request: Request, response: Response) => {
    // With a final slash the page is the same, but its relative paths differ.
    const page = path === '/docs' && request.path.endsWith('/') ? '/docs/' : path
    const found = (await documentation()).get(page)
    if (found === undefined) throw new Error(`${page} was not made`)
    sendStatic(request, response, found)
  }
  const router = Router()
  router.get('/openapi.json', send('/openapi.json'))
  router.use('/docs', pagePolicy(DOCS_POLICY))
  router.use(guideRoutes())
  router.get('/docs', send('/docs'))
  router.get(`/docs/${START}`, send(`/docs/${START}`))
  router.use('/docs', (request, response, next) => {
    const name = ASSETS.find((text) => request.path === `/${text}`)
    return name === undefined ? next() : send(`/docs/${name}`)(request, response)
  })
  return router
}

async function documentationOf(version: string): Promise<Documentation> {
  const steps = openApiSteps(version)
  let step = steps.next()
  for (; !step.done; step = steps.next()) await turn()
  const document = step.value
  const options = { swaggerOptions: { validatorUrl: null } }
  const html = swaggerUi.generateHTML(document, { customSiteTitle: 'dexfeed', ...options })
  const made = new Map<string, StaticResponse>()
  const add = async (path: string, type: string, body: string | Buffer) => {
    made.set(path, await staticResponse(TYPES[type] ?? '', Buffer.from(body)))
  }
  await add('/openapi.json', '.json', JSON.stringify(document))
  await add('/docs/', '.html', html)
  await add('/docs', '.html', html.replaceAll('="./', '="./docs/'))
  await add(`/docs/${START}`, '.js', await startScript(document, options))
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('swagger-ui-express'))
  for (const name of ASSETS) {
    await add(`/docs/${name}`, extname(name), await readFile(resolve(`swagger-ui-dist/${name}`)))
  }
  return made
}

/** Only the package's handler can produce the page's first script. */
function startScript(document: OpenApiDocument, options: swaggerUi.SwaggerUiOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const [start] = swaggerUi.serveFiles(document, options)
    const response = { set: () => response, send: resolve }
    const notFound = () => reject(new Error(`swagger-ui-express has no ${START}`))
    void start?.({ url: `/${START}` } as Request, response as unknown as Response, notFound)
  })
}
