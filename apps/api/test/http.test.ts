import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { isServed, openConnections } from '@dexfeed/test-setup/connections'
import { hexNumber, seedNetwork } from '@dexfeed/test-setup/seed'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'

let api: ApiFixture
const registry = new Registry()

beforeAll(async () => {
  api = await openFixture({ registry })
})

/** Sends bytes and returns all that comes until the server closes. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(api.api.url)
  return new Promise((resolve, reject) => {
    let reply = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (data) => {
      reply += data
    })
    socket.on('close', () => resolve(reply))
    socket.on('error', reject)
  })
}

const jsonOf = (reply: string) => JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))
const statusOf = (reply: string) => Number(reply.split(' ')[1])

describe('methods', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])('%s gets 405 and the allowed methods', async (method) => {
    for (const path of ['/api/quote', '/api/swaps_24h', '/livez', '/nothing']) {
      const { status, body, headers } = await api.get(path, { method })
      expect(status).toBe(405)
      expect(Object.keys(body)).toEqual(['error'])
      expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    }
  })

  it.each(['TRACE / HTTP/1.1', 'CONNECT a:1 HTTP/1.1', 'NONSENSE / HTTP/1.1'])('%s too', async (line) => {
    const reply = await raw(`${line}\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(statusOf(reply)).toBe(405)
    expect(reply).toMatch(/\r\nAllow: GET, HEAD, OPTIONS\r\n/)
    expect(Object.keys(jsonOf(reply))).toEqual(['error'])
  })

  it('OPTIONS allows GET to pages of any origin, without credentials', async () => {
    const headers = { Origin: 'https://example.org', 'Access-Control-Request-Method': 'GET' }
    const reply = await api.get('/api/quote', { method: 'OPTIONS', headers })
    expect(reply.status).toBe(204)
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    expect(reply.headers.get('access-control-allow-methods')).toBe('GET')
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
    expect(reply.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })
})

it('ignores requests that follow a refused one', async () => {
  const second = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
  const reply = await raw(
    `POST /api/quote HTTP/1.1\r\nHost: a\r\nContent-Length: ${second.length}\r\n\r\n${second}${second}`,
  )
  expect(statusOf(reply)).toBe(405)
  expect(reply.match(/HTTP\/1\.1 /g)).toHaveLength(1)
})

describe('malformed requests', () => {
  it.each([
    ['an unknown path', 'GET /nothing HTTP/1.1\r\nHost: a', 404],
    ['a path that is not text', 'GET /%zz HTTP/1.1\r\nHost: a', 404],
    ['a path of a page that is not text', 'GET /docs/%zz HTTP/1.1\r\nHost: a', 404],
    ['a path outside', 'GET /docs/../../package.json HTTP/1.1\r\nHost: a', 404],
    ['another package.json', 'GET /docs/package.json HTTP/1.1\r\nHost: a', 404],
    ['a target with a broken host', 'GET http://[ HTTP/1.1\r\nHost: a', 400],
    ['a long URL', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a`, 414],
    ['long headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}`, 431],
    ['no HTTP', 'GET / SMTP/1.1', 400],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: a\r\nBad Header\r\n: x', 400],
    ['no host', 'GET / HTTP/1.1', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: a', 400],
    ['a host with a path', 'GET / HTTP/1.1\r\nHost: a/b', 400],
    ['a host with a user', 'GET / HTTP/1.1\r\nHost: me@a', 400],
    ['a host with two ports', 'GET / HTTP/1.1\r\nHost: a:1:2', 400],
    ['an address for a host', 'GET /nothing HTTP/1.1\r\nHost: [::1]:80', 404],
    ['an unknown transfer coding', 'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: wonders', 501],
    ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2', 400],
    ['a smuggled body', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked', 400],
    ['an expectation', 'GET /nothing HTTP/1.1\r\nHost: a\r\nExpect: wonders', 404],
  ])('%s', async (_, head, status) => {
    const reply = await raw(`${head}\r\nConnection: close\r\n\r\n`)
    expect(statusOf(reply), reply.slice(0, 200)).toBe(status)
    expect(Object.keys(jsonOf(reply))).toEqual(['error'])
    expect(reply).not.toMatch(/<html|node_modules/i)
  })
})

describe('headers', () => {
  it('of what the API computes can be read by pages of any origin', async () => {
    const limited = await openFixture({ ownerUrl: api.ownerUrl, rateLimitPerS: 1_000 })
    const { headers } = await limited.get('/api/trade_volume_usd_7d')
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(',') ?? []
    const ours = [...headers.keys()].filter((name) =>
      /^(x-(?!content|dns|frame|download|permitted|xss)|ratelimit|etag|link)/.test(name),
    )
    expect(ours).toEqual(expect.arrayContaining(['etag', 'ratelimit', 'ratelimit-policy', 'x-request-id']))
    expect(ours.filter((name) => !exposed.includes(name))).toEqual([])
  })

  it('are those of data, on success and on failure', async () => {
    for (const path of ['/livez', '/nothing', '/api/quote']) {
      const { headers } = await api.get(path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'")
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('x-powered-by')).toBeNull()
      expect(headers.get('strict-transport-security')).toBeNull()
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  it('contain the given request id if it is harmless, else a new one', async () => {
    const idFor = async (id: string) =>
      (await api.get('/livez', { headers: { 'X-Request-Id': id } })).headers.get('x-request-id')
    expect(await idFor('abc-123_X')).toBe('abc-123_X')
    for (const bad of ['a b', 'x'.repeat(65), '{"level":60}', '']) expect(await idFor(bad)).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('say how a response may vary, and compress it on request', async () => {
    const plain = await api.get('/openapi.json', { headers: { 'Accept-Encoding': 'identity' } })
    const zipped = await api.get('/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect(zipped.headers.get('vary')).toContain('Accept-Encoding')
    expect(zipped.text).toBe(plain.text)
  })
})

describe('documentation', () => {
  it.each(['/docs', '/docs/'])('%s is a page without inline script, under a policy that forbids it', async (path) => {
    const { status, text, headers } = await api.get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(headers.get('content-security-policy')).toContain("script-src 'self';")
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/)
    const parts = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(
      (match) => new URL(match[1] ?? '', api.api.url + path).pathname,
    )
    expect(parts.length).toBeGreaterThan(3)
    for (const part of parts) expect((await api.get(part)).status, part).toBe(200)
  })

  it.each(['/openapi.json', '/docs', '/docs/', '/docs/guide'])(
    '%s is compressed once for all clients',
    async (path) => {
      const get = (headers: Record<string, string>) => api.get(path, { headers })
      const [plain, zipped] = [await get({ 'accept-encoding': 'br' }), await get({ 'accept-encoding': 'gzip' })]
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(zipped.headers.get('content-encoding')).toBe('gzip')
      // The length is known only if the response was compressed before.
      expect(Number(zipped.headers.get('content-length'))).toBeGreaterThan(0)
      expect(Number(zipped.headers.get('content-length'))).toBeLessThan(plain.text.length)
      expect(zipped.text).toBe(plain.text)
      expect(zipped.headers.get('vary')).toContain('Accept-Encoding')
      const tags = [plain, zipped].map(({ headers }) => headers.get('etag') ?? '')
      expect(new Set(tags).size).toBe(2)
      expect((await get({ 'accept-encoding': 'gzip', 'if-none-match': tags[1] ?? '' })).status).toBe(304)
      expect((await api.get(path, { method: 'HEAD' })).text).toBe('')
    },
  )

  it('is built from the document that the API serves', async () => {
    const { body } = await api.get('/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    const { text } = await api.get('/docs')
    for (const methods of Object.values<Record<string, { operationId: string }>>(body.paths)) {
      for (const { operationId } of Object.values(methods)) expect(text).toContain(`id="${operationId}"`)
    }
    for (const shape of Object.keys(body.components.schemas)) expect(text).toContain(`id="shape-${shape}"`)
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => `id="${id}"`)
    expect(targets.filter((id) => !text.includes(id))).toEqual([])
    expect(text).not.toMatch(/\[object|undefined/)
  })
})

describe('rate limit', () => {
  it('stops a client for the rest of the second, but not its health checks', async () => {
    const limited = await openFixture({ rateLimitPerS: 3 })
    const replies = await Promise.all(Array.from({ length: 30 }, () => limited.get('/nothing')))
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { body, headers } of refused) {
      expect(Object.keys(body)).toEqual(['error'])
      expect(headers.get('retry-after')).toBe('1')
      expect(headers.get('ratelimit')).toContain('r=0')
    }
    for (let i = 0; i < 20; i++) expect((await limited.get('/livez')).status).toBe(200)
  })

  it('ignores X-Forwarded-For unless the sender is a trusted proxy', async () => {
    const statuses = async (trustProxy: number | null) => {
      const limited = await openFixture({ rateLimitPerS: 2, trustProxy })
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          limited.get('/nothing', { headers: { 'X-Forwarded-For': `10.0.0.${i}` } }),
        ),
      )
      return new Set(replies.map(({ status }) => status))
    }
    expect(await statuses(null)).toEqual(new Set([404, 429]))
    expect(await statuses(1)).toEqual(new Set([404]))
  })

  it.each([
    ['203.0.113.7:{}', 1],
    ['[2001:db8::7]:{}', 1],
    ['[2001:db8::{}]', 1],
    ['unknown{}', 1],
    ['203.0.113.7, 127.0.0.1:{}', ['loopback']],
    ['203.0.113.7:{}, [::1]:{}', ['loopback']],
  ])('counts X-Forwarded-For: %s as one client', async (forwarded, trustProxy) => {
    const limited = await openFixture({ rateLimitPerS: 2, trustProxy })
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        limited.get('/nothing', { headers: { 'X-Forwarded-For': forwarded.replaceAll('{}', String(5_000 + i)) } }),
      ),
    )
    expect(replies.some(({ status }) => status === 429)).toBe(true)
  })
})

it('a client holds no more than its part of the connections, unless it is a trusted proxy', async () => {
  const answers = async (trustProxy: readonly string[] | number | null) => {
    const { api } = await openFixture({ trustProxy, maxConnections: 8 })
    await openConnections(api.url, '127.0.0.2', 6)
    return [await isServed(`${api.url}/livez`, '127.0.0.2'), await isServed(`${api.url}/livez`, '127.0.0.3')]
  }
  expect(await answers(null)).toEqual([false, true])
  expect(await answers(['127.0.0.2'])).toEqual([true, true])
  expect(await answers(1)).toEqual([true, true])
})

describe('metrics', () => {
  it('have one label value for all unknown paths', async () => {
    for (let i = 0; i < 50; i++) await api.get(`/made-up-${i}?x=${i}`)
    await api.get('/livez')
    const text = await registry.metrics()
    expect(text).not.toContain('made-up')
    expect(text).toMatch(/dexfeed_api_request_seconds_count\{method="GET",route="none",status="404"\} \d+/)
    expect(text).toMatch(/dexfeed_api_request_seconds_count\{method="GET",route="\/livez",status="200"\} \d+/)
  })
})

it('metrics report the age of the heads', async () => {
  const metrics = new Registry()
  const eth = { network: 'eth', wrapped: hexNumber(0xa), start: { number: 1, time: NOON - 99 } } as const
  const head = { number: 7, time: NOON - 30 }
  await openFixture({ registry: metrics, fill: (owner) => seedNetwork(owner, { ...eth, head }) })
  expect(await metrics.metrics()).toContain('dexfeed_api_head_age_seconds{network="eth"} 30')
})

describe('log', () => {
  it("has one line per request, whatever it contains, with the request's id", async () => {
    const lines: string[] = []
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(...String(chunk).trim().split('\n'))
        done()
      },
    })
    const log = pino({ level: 'info' }, sink)
    const logged = await openFixture({ log })
    await logged.get('/nothing?a=%0a%7b%22level%22:60%7d&b=\n{"level":60}', { headers: { 'X-Request-Id': 'my-id' } })
    const requests = lines.filter((line) => line.includes('/nothing'))
    expect(requests).toHaveLength(1)
    expect(JSON.parse(requests[0] ?? '')).toMatchObject({ reqId: 'my-id', res: { statusCode: 404 } })
  })
})
