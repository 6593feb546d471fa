import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { temporaryFolder } from '@dexfeed/test-setup'
import { beforeAll, expect, test } from 'vitest'
import { type ApiFixture, openFixture } from './api-fixture.ts'

/** What browsers send when they open a page. */
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8' }

let world: ApiFixture

beforeAll(async () => {
  world = await openFixture()
})

const PAGES = ['/', '/tokens', '/pools?sort=created', '/trade?sell=WETH', '/token/eth/0x00', '/pool/bsc/0x00:0x01']
test.each([...PAGES, '/trader/0x00', '/explain', '/health', '/health/'])(
  'a browser gets the page at %s, under a policy without anything inline',
  async (path) => {
    const { status, headers, text } = await world.get(path, { headers: BROWSER })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('vary')).toContain('Accept')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("script-src 'self';style-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<style|<script(?![^>]* src="\/assets\/)| style=| on\w+=/)
  },
)

test.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html;q=0.5, application/json'])(
  'a program that accepts %j gets what it got without the page',
  async (accept) => {
    for (const path of ['/', '/trade', '/health']) {
      const { status, body } = await world.get(path, { headers: accept === undefined ? {} : { Accept: accept } })
      expect({ status, body }).toEqual({ status: 404, body: { error: 'there is nothing under this path' } })
    }
  },
)

test.each(['/other', '/trades', '/token', '/docsx'])(
  'a browser gets a page for %s that says that nothing is there',
  async (path) => {
    const { status, headers, text } = await world.get(path, { headers: BROWSER })
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(text).toContain('<title>Not found · dexfeed</title>')
    expect(headers.get('content-security-policy')).toContain("script-src 'self';style-src 'self'")
    expect((await world.get(path)).body).toEqual({ error: 'there is nothing under this path' })
  },
)

test.each([
  '/api/other',
  '/v1/other',
  '/udf/other',
  '/adapters/other',
  '/assets/',
  '/assets/missing.js',
  '/docs/other',
])('%s is not a path of the page', async (path) => {
  const { status, body } = await world.get(path, { headers: BROWSER })
  expect({ status, body }).toMatchObject({ status: 404, body: { error: 'there is nothing under this path' } })
})

test('assets may be kept permanently, and have the coding that the client accepts', async () => {
  const { text } = await world.get('/', { headers: BROWSER })
  const assets = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  expect(assets.length).toBeGreaterThan(1)
  for (const path of assets) {
    expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/)
    const plain = await encoded(path, 'identity')
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await encoded(path, 'gzip')).headers.get('content-encoding')).toBe('gzip')
    expect((await encoded(path, 'gzip, deflate, br')).headers.get('content-encoding')).toBe('br')
    for (const [coding, unpack] of Object.entries({ gzip: gunzipSync, br: brotliDecompressSync })) {
      expect(unpack((await encoded(path, coding)).bytes).equals(plain.bytes)).toBe(true)
    }
  }
})

test('the page is checked again each time, and is not sent again', async () => {
  const first = await world.get('/', { headers: BROWSER })
  expect(first.headers.get('cache-control')).toBe('no-cache')
  const etag = first.headers.get('etag') ?? ''
  const second = await world.get('/', { headers: { ...BROWSER, 'If-None-Match': etag } })
  expect([second.status, second.text, second.headers.get('etag')]).toEqual([304, '', etag])
})

test('without the built page, the API runs and says what is missing', async () => {
  const { get } = await openFixture({ webDir: temporaryFolder() })
  const page = await get('/', { headers: BROWSER })
  expect(page.status).toBe(404)
  expect(page.body.error).toBe('the page is not built: run `npm run build`, then restart the API')
  expect((await get('/status')).status).toBe(200)
  expect((await get('/')).body).toEqual({ error: 'there is nothing under this path' })
})

/** Returns a response as it was sent: `fetch` would unpack it. */
async function encoded(path: string, coding: string): Promise<{ headers: Headers; bytes: Buffer }> {
  const response = await sent(new URL(path, world.api.url), coding)
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value))
  return { headers, bytes: Buffer.concat(await response.toArray()) }
}

async function sent(url: URL, coding: string): Promise<IncomingMessage> {
  const [response] = await once(get(url, { headers: { 'accept-encoding': coding } }), 'response')
  return response
}
