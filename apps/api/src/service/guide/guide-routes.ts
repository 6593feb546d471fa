import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { projectRoot } from '@dexfeed/service'
import { type RequestHandler, Router } from 'express'
import { cachedRead } from '../../http/cache.ts'
import { type StaticResponse, sendStatic, staticResponse } from '../../http/cached-response.ts'
import { type GuidePage, readGuide } from './guide.ts'
import { guideIndex, guidePage } from './guide-html.ts'

const MARKDOWN = 'text/markdown; charset=utf-8'
const HTML = 'text/html; charset=utf-8'
const MAX_QUERY = 100

interface Guide {
  pages: readonly GuidePage[]
  made: ReadonlyMap<string, StaticResponse>
}

/** Serves `docs/guide` under `/docs/guide`, as pages with a search and as Markdown (`.md`), and `/llms.txt`. */
export function guideRoutes(folder: string = join(projectRoot(), 'docs', 'guide')): Router {
  const guide = cachedRead(async () => ({ value: await makeGuide(folder) }))
  const router = Router()
  router.get('/docs/guide', async (request, response, next) => {
    const { q } = request.query
    const query = typeof q === 'string' ? q.slice(0, MAX_QUERY).trim() : ''
    if (query === '') return next()
    const { pages } = await guide()
    response.type(HTML).set('Cache-Control', 'public, max-age=300').send(guideIndex(pages, query))
  })
  const sendMade: RequestHandler = async (request, response, next) => {
    const found = (await guide()).made.get(request.path.replace(/\/$/, ''))
    if (found === undefined) return next()
    sendStatic(request, response, found)
  }
  for (const path of ['/llms.txt', '/docs/guide', '/docs/guide/:file']) router.get(path, sendMade)
  return router
}

async function makeGuide(folder: string): Promise<Guide> {
  const pages = await readGuide(folder)
  const made = new Map<string, StaticResponse>()
  const add = async (path: string, type: string, text: string) => {
    made.set(path, await staticResponse(type, Buffer.from(text)))
    await turn()
  }
  await add('/llms.txt', MARKDOWN, listOf(pages))
  await add('/docs/guide', HTML, guideIndex(pages, ''))
  for (const page of pages) {
    await add(`/docs/guide/${page.name}`, HTML, guidePage(pages, page))
    await add(`/docs/guide/${page.name}.md`, MARKDOWN, page.markdown)
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
