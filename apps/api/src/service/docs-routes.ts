import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { openApiSteps } from '@dexfeed/contract'
import { projectRoot } from '@dexfeed/service'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { cachedRead } from '../http/cache.ts'
import { fileHeaders, type StaticResponse, sendStatic, staticResponse } from '../http/cached-response.ts'
import { pagePolicy } from '../http/security-headers.ts'
import { type GuidePage, readGuide } from './guide/guide.ts'
import { guideIndex, guidePage } from './guide/guide-html.ts'
import { referenceArticle } from './reference/reference-html.ts'
import { sitePage } from './site-page.ts'
import type { WebFiles } from './web-routes.ts'

type Made = ReadonlyMap<string, StaticResponse>

const MAX_QUERY = 100

const PAGE = 'page.html'

/**
 * Serves `/openapi.json`, the reference under `/docs`, and `docs/guide` under `/docs/guide`: as pages of the site, with a
 * search, as Markdown (`.md`), and as `/llms.txt`.
 */
export function docsRoutes(version: string, web: WebFiles | null): Router {
  const html = web?.html ?? null
  // Made on the first request, because it takes a while and is rarely requested.
  const documentation = cachedRead(async () => ({ value: await documentationOf(version, html) }))
  const guide = cachedRead(async () => ({ value: await makeGuide(html) }))
  const send = (path: string) => async (request: Request, response: Response) => {
    const found = (await documentation()).get(path)
    if (found === undefined) throw new Error(`${path} was not made`)
    sendStatic(request, response, found)
  }
  const searchGuide: RequestHandler = async (request, response, next) => {
    const { q } = request.query
    const query = typeof q === 'string' ? q.slice(0, MAX_QUERY).trim() : ''
    if (query === '') return next()
    const { pages } = await guide()
    const page = sitePage(html, { title: 'Guide', article: guideIndex(pages, query) })
    response.set(fileHeaders(PAGE, 'public, max-age=300')).send(page)
  }
  const sendGuide: RequestHandler = async (request, response, next) => {
    const found = (await guide()).made.get(request.path.replace(/\/$/, ''))
    if (found === undefined) return next()
    sendStatic(request, response, found)
  }
  const router = Router()
  router.get('/openapi.json', send('/openapi.json'))
  router.use('/docs', pagePolicy())
  router.get('/docs/guide', searchGuide)
  for (const path of ['/llms.txt', '/docs/guide', '/docs/guide/:file']) router.get(path, sendGuide)
  router.get('/docs', send('/docs'))
  return router
}

async function documentationOf(version: string, html: string | null): Promise<Made> {
  const steps = openApiSteps(version)
  let step = steps.next()
  for (; !step.done; step = steps.next()) await turn()
  const document = step.value
  await turn()
  const reference = {
    title: 'API reference',
    description: 'All routes of the API',
    article: referenceArticle(document),
  }
  return new Map([
    ['/openapi.json', await staticResponse('openapi.json', JSON.stringify(document))],
    ['/docs', await staticResponse(PAGE, sitePage(html, reference))],
  ])
}

async function makeGuide(html: string | null): Promise<{ pages: readonly GuidePage[]; made: Made }> {
  const pages = await readGuide(join(projectRoot(), 'docs', 'guide'))
  const made = new Map<string, StaticResponse>()
  const add = async (path: string, type: string, text: string) => {
    made.set(path, await staticResponse(type, text))
    await turn()
  }
  await add('/llms.txt', 'list.md', listOf(pages))
  const index = { title: 'Guide', description: 'How to run and use dexfeed', article: guideIndex(pages, '') }
  await add('/docs/guide', PAGE, sitePage(html, index))
  for (const page of pages) {
    const { name, title, plainSummary: description } = page
    await add(`/docs/guide/${name}`, PAGE, sitePage(html, { title, description, article: guidePage(pages, page) }))
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
