import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { type OpenApiDocument, openApiSteps } from '@dexfeed/contract'
import { projectRoot } from '@dexfeed/service'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import swaggerUi from 'swagger-ui-express'
import { cachedRead } from '../http/cache.ts'
import { fileHeaders, type StaticResponse, sendStatic, staticResponse } from '../http/cached-response.ts'
import { pagePolicy } from '../http/security-headers.ts'
import { type GuidePage, readGuide } from './guide/guide.ts'
import { guideIndex, guidePage } from './guide/guide-html.ts'

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

type Made = ReadonlyMap<string, StaticResponse>

const MAX_QUERY = 100

/**
 * Serves `/openapi.json`, swagger-ui under `/docs`, and `docs/guide` under `/docs/guide`: as pages with a search, as
 * Markdown (`.md`), and as `/llms.txt`.
 */
export function docsRoutes(version: string): Router {
  // Made on the first request, because it takes a while and is rarely requested.
  const documentation = cachedRead(async () => ({ value: await documentationOf(version) }))
  const guide = cachedRead(async () => ({ value: await makeGuide() }))
  const send = (path: string) => async (request: Request, response: Response) => {
    // With a final slash the page is the same, but its relative paths differ.
    const page = path === '/docs' && request.path.endsWith('/') ? '/docs/' : path
    const found = (await documentation()).get(page)
    if (found === undefined) throw new Error(`${page} was not made`)
    sendStatic(request, response, found)
  }
  const searchGuide: RequestHandler = async (request, response, next) => {
    const { q } = request.query
    const query = typeof q === 'string' ? q.slice(0, MAX_QUERY).trim() : ''
    if (query === '') return next()
    const { pages } = await guide()
    response.set(fileHeaders('index.html', 'public, max-age=300')).send(guideIndex(pages, query))
  }
  const sendGuide: RequestHandler = async (request, response, next) => {
    const found = (await guide()).made.get(request.path.replace(/\/$/, ''))
    if (found === undefined) return next()
    sendStatic(request, response, found)
  }
  const router = Router()
  router.get('/openapi.json', send('/openapi.json'))
  router.use('/docs', pagePolicy(DOCS_POLICY))
  router.get('/docs/guide', searchGuide)
  for (const path of ['/llms.txt', '/docs/guide', '/docs/guide/:file']) router.get(path, sendGuide)
  router.get('/docs', send('/docs'))
  router.get(`/docs/${START}`, send(`/docs/${START}`))
  router.use('/docs', (request, response, next) => {
    const name = ASSETS.find((text) => request.path === `/${text}`)
    return name === undefined ? next() : send(`/docs/${name}`)(request, response)
  })
  return router
}

async function documentationOf(version: string): Promise<Made> {
  const steps = openApiSteps(version)
  let step = steps.next()
  for (; !step.done; step = steps.next()) await turn()
  const document = step.value
  const options = { swaggerOptions: { validatorUrl: null } }
  const html = swaggerUi.generateHTML(document, { customSiteTitle: 'dexfeed', ...options })
  const made = new Map<string, StaticResponse>()
  const add = async (path: string, name: string, body: string | Buffer) => {
    made.set(path, await staticResponse(name, body))
  }
  await add('/openapi.json', 'openapi.json', JSON.stringify(document))
  await add('/docs/', 'index.html', html)
  await add('/docs', 'index.html', html.replaceAll('="./', '="./docs/'))
  await add(`/docs/${START}`, START, await startScript(document, options))
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('swagger-ui-express'))
  for (const name of ASSETS) await add(`/docs/${name}`, name, await readFile(resolve(`swagger-ui-dist/${name}`)))
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

async function makeGuide(): Promise<{ pages: readonly GuidePage[]; made: Made }> {
  const pages = await readGuide(join(projectRoot(), 'docs', 'guide'))
  const made = new Map<string, StaticResponse>()
  const add = async (path: string, type: string, text: string) => {
    made.set(path, await staticResponse(type, text))
    await turn()
  }
  await add('/llms.txt', 'list.md', listOf(pages))
  await add('/docs/guide', 'index.html', guideIndex(pages, ''))
  for (const page of pages) {
    await add(`/docs/guide/${page.name}`, 'page.html', guidePage(pages, page))
    await add(`/docs/guide/${page.name}.md`, 'page.md', page.markdown)
  }
  return { pages, made }
}

function listOf(pages: readonly GuidePage[]): string {
  const entries = pages.map(({ name, title, summary }) => `- [${title}](/docs/guide/${name}.md): ${summary}`)
  return `# dexfeed

> Market data of decentralised exchanges on Ethereum, BNB Chain and Polygon: prices, trades, volumes, candles and exact quotes over HTTP. Amounts and prices are decimal texts. Unknown is null, never 0.

## API

- [OpenAPI](/openapi.json): every operation with its parameters and responses
- [Status](/status): what is indexed, and whether it is complete

## Guide

${entries.join('\n')}
`
}
