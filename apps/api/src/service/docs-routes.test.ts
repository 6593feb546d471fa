import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { Renderer } from 'marked'
import { beforeAll, expect, test, vi } from 'vitest'
import { type ApiFixture, openFixture } from '../../test/api-fixture.ts'

const FOLDER = join(projectRoot(), 'docs/guide')
const names = readdirSync(FOLDER).map((file) => file.replace('.md', ''))

let api: ApiFixture
beforeAll(async () => {
  api = await openFixture()
})

test('every page of the guide is served as HTML and as its Markdown', async () => {
  expect(names.length).toBeGreaterThan(8)
  for (const name of names) {
    const page = await api.get(`/docs/guide/${name}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(page.text).not.toMatch(/href="(?!https?:|#|\/)/)
    const raw = await api.get(`/docs/guide/${name}.md`)
    expect(raw.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(raw.text).toBe(readFileSync(join(FOLDER, `${name}.md`), 'utf8'))
  }
})

test('the reference shows what is in angle brackets, once escaped', async () => {
  const { text } = await api.get('/docs')
  expect(text).toContain('<code>bsc:token:&lt;address&gt;</code>')
  expect(text).not.toMatch(/&amp;(lt|gt|amp|quot|#39);/)
})

test('pages are made once, for all requests', async () => {
  await api.get('/docs/guide/api')
  const rendered = vi.spyOn(Renderer.prototype, 'paragraph')
  for (const name of names) expect((await api.get(`/docs/guide/${name}?x=${name}`)).status).toBe(200)
  expect(rendered).not.toHaveBeenCalled()
  rendered.mockRestore()
})

test('links from page to page lead to what is served', async () => {
  const { text } = await api.get('/docs/guide/getting-started')
  const links = [...text.matchAll(/href="(\/docs\/guide\/[^"#]+)/g)].map(([, path]) => path ?? '')
  expect(links.length).toBeGreaterThan(names.length)
  for (const path of new Set(links)) expect((await api.get(path)).status).toBe(200)
})

test('llms.txt names every page', async () => {
  const { text, headers } = await api.get('/llms.txt')
  expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  const listed = [...text.matchAll(/\(\/docs\/guide\/([\w-]+)\.md\)/g)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual(names.toSorted())
  // By task, as the list of all documents.
  expect(listed[0]).toBe('getting-started')
})

test('a search finds lines by all their words, and shows any text as text', async () => {
  const found = await api.get(`/docs/guide?q=${encodeURIComponent('BACKFILL_days')}`)
  expect(found.text).toMatch(/<li><a href="\/docs\/guide\/settings#/)
  const hostile = await api.get(`/docs/guide?q=${encodeURIComponent('<script>"x')}`)
  expect(hostile.text).toContain('&lt;script&gt;&quot;x')
  expect(hostile.text).not.toContain('<script>')
  expect((await api.get('/docs/guide?q=a&q=b')).status).toBe(200)
})

test.each(['/docs/guide/none', '/docs/guide/..%2f..%2fpackage.json', '/docs/guide/api.mdx'])(
  '%s is not found',
  async (path) => {
    expect((await api.get(path)).status).toBe(404)
  },
)
