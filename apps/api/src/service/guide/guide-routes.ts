import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { type Request, type Response, Router } from 'express'
import { sendStatic, staticResponse } from '../../http/static-response.ts'
import { type GuidePage, readGuide } from './guide.ts'
import { guideIndex, guidePage } from './guide-html.ts'

const MARKDOWN = 'text/markdown; charset=utf-8'
const HTML = 'text/html; charset=utf-8'
/** Longest text that is searched. */
const MAX_QUERY = 100

/**
 * Serves the guide (`docs/guide`) under `/docs/guide`: as pages with a search, each also as its Markdown (`.md`), and
 * `/llms.txt`, the list of it for language models.
 */
export function guideRoutes(folder: string = join(projectRoot(), 'docs', 'guide')): Router {
  let read: Promise<GuidePage[]> | null = null
  const pagesOf = () => {
    read ??= readGuide(folder).catch((error: unknown) => {
      read = null
      throw error
    })
    return read
  }
  const send = async (request: Request, response: Response, type: string, text: string) =>
    sendStatic(request, response, await staticResponse(type, Buffer.from(text)))
  const router = Router()
  router.get('/llms.txt', async (request, response) => {
    await send(request, response, MARKDOWN, listOf(await pagesOf()))
  })
  router.get('/docs/guide', async (request, response) => {
    const { q } = request.query
    const query = typeof q === 'string' ? q.slice(0, MAX_QUERY).trim() : ''
    await send(request, response, HTML, guideIndex(await pagesOf(), query))
  })
  router.get('/docs/guide/:file', async (request, response, next) => {
    const [, name, suffix] = /^([\w-]+)(\.md)?$/.exec(request.params.file) ?? []
    const pages = await pagesOf()
    const page = pages.find((one) => one.name === name)
    if (page === undefined) return next()
    if (suffix === undefined) await send(request, response, HTML, guidePage(pages, page))
    else await send(request, response, MARKDOWN, page.markdown)
  })
  return router
}

/** Returns the guide's pages as https://llmstxt.org describes it. */
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
