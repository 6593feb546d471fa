import { hexNumber, seedNetwork, seedTokens } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../../test/api-fixture.ts'

const USDT = '0x55d398326f99059ff775485246999027b3197955'

let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedNetwork(owner, {
        ...{ network: 'bsc', wrapped: USDT, start: { number: 1, time: NOON }, head: { number: 9, time: NOON } },
      })
      await seedTokens(owner, 'bsc', [
        { address: USDT, symbol: 'USDT', name: 'Tether', decimals: 6 },
        { address: hexNumber(7), symbol: 'SEVEN', name: '', decimals: 1 },
      ])
    },
  })
})

const JSON_TYPE = { 'Content-Type': 'application/json' }
const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  api.get('/v1/batch', { method: 'POST', body, headers })
const batch = (...paths: string[]) => post(JSON.stringify({ requests: paths.map((path) => ({ path })) }))

describe('a batch', () => {
  it('responds to each read as to a GET of it, in order', async () => {
    const paths = [
      '/v1/tokens?limit=1',
      `/v1/tokens/bsc/${USDT}`,
      '/v1/tokens?limit=x',
      '/v1/tokens?limit=1&limit=2',
      `/v1/tokens/eth/${USDT}`,
      '/v1/nothing',
      '/v1/tokens/%zz/1',
      '/v1/batch',
      '/v1/swaps?%75nknown=1',
    ]
    const { status, body, headers } = await batch(...paths)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    const statuses = body.responses.map((each: { status: number }) => each.status)
    expect(statuses).toEqual([200, 200, 400, 400, 404, 404, 400, 404, 400])
    for (const [at, path] of paths.entries()) {
      if (path === '/v1/batch') continue
      expect(body.responses[at].body).toEqual((await api.get(path)).body)
    }
    expect(body.responses[0].body.next).toEqual(expect.any(String))
  })

  it('has lists of 100 rows at most, so that a response stays small', async () => {
    const { body } = await batch('/v1/tokens?limit=100', '/v1/tokens?limit=101')
    expect(body.responses.map((each: { status: number }) => each.status)).toEqual([200, 400])
    expect(body.responses[1].body.code).toBe('invalid_parameter')
  })

  it.each([
    ['no JSON type', '{"requests":[]}', { 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['another encoding', '{}', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['half of JSON', '{"requests":[', JSON_TYPE, 400, 'malformed_request'],
    ['a list', '[]', JSON_TYPE, 400, 'invalid_parameter'],
    ['no list of requests', '{"requests":[]}', JSON_TYPE, 400, 'invalid_parameter'],
    ['a further field', '{"requests":[{"path":"/v1/swaps"}],"a":1}', JSON_TYPE, 400, 'unknown_parameter'],
    ['a prototype', '{"requests":[{"path":"/v1/swaps","__proto__":{}}]}', JSON_TYPE, 400, 'invalid_parameter'],
    ['another path', '{"requests":[{"path":"/api/quote"}]}', JSON_TYPE, 400, 'invalid_parameter'],
    ['a body in text', '{"requests":[{"path":"/v1/prices","body":"x"}]}', JSON_TYPE, 400, 'invalid_parameter'],
    ['51 requests', `{"requests":[${Array(51).fill('{"path":"/v1/swaps"}')}]}`, JSON_TYPE, 400, 'invalid_parameter'],
    ['9 levels', '{"requests":[[[[[[[[]]]]]]]]}', JSON_TYPE, 400, 'invalid_parameter'],
    ['text that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), JSON_TYPE, 400, 'malformed_request'],
    ['too much', `{"requests":["${'x'.repeat(131_072)}"]}`, JSON_TYPE, 413, 'body_too_large'],
  ])('with %s is refused', async (_, text, headers, status, code) => {
    const reply = await post(text, headers)
    expect(reply.status).toBe(status)
    expect(reply.body).toEqual({ error: expect.any(String), code })
  })

  it('names the requests that are wrong', async () => {
    const requests = [{ path: '/v1/swaps' }, { path: '/api/quote' }, 'x', { path: '/v1/swaps', method: 'GET' }]
    const { body } = await post(JSON.stringify({ requests }))
    expect(body.error.split('; ')).toEqual([
      'requests[1].path must be a path under /v1/ with its query, of at most 2048 characters',
      ...[2, 3].map((at) => `requests[${at}] must be { "path": "/v1/…" }, with a "body" for a POST`),
    ])
    const { body: none } = await post('{"requests":{}}')
    expect(none.error).toBe('the body must be { "requests": [{ "path": "/v1/…" }, …] }, 1 to 50')
  })

  it('takes 50 requests', async () => {
    const { body } = await batch(...Array(50).fill('/v1/protocols'))
    expect(body.responses).toHaveLength(50)
  })

  it('is a POST only, open to pages of any origin', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const { status, headers } = await api.get('/v1/batch', { method })
      expect(status).toBe(405)
      expect(headers.get('allow')).toBe('POST, OPTIONS')
    }
    const headers = { Origin: 'https://example.org', 'Access-Control-Request-Headers': 'content-type' }
    const preflight = await api.get('/v1/batch', { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type')
    expect((await api.get('/v1/swaps', { method: 'POST' })).status).toBe(405)
    const both = await api.get('/v1/prices', { method: 'OPTIONS', headers })
    expect(both.headers.get('access-control-allow-methods')).toBe('GET,POST')
  })

  it('counts by its size, too, before it is parsed', async () => {
    const limited = await openFixture({ ownerUrl: api.ownerUrl, rateLimitPerS: 100 })
    const body = `{"requests":["${'x'.repeat(65_536)}"]}`
    const { status, headers } = await limited.get('/v1/batch', { method: 'POST', body, headers: JSON_TYPE })
    expect([status, headers.get('ratelimit')]).toEqual([400, '"100-in-1sec"; r=91; t=1'])
  })

  it('counts as its reads, so that a client cannot exceed its limit with it', async () => {
    const limited = await openFixture({ ownerUrl: api.ownerUrl, rateLimitPerS: 100 })
    const body = JSON.stringify({ requests: Array.from({ length: 50 }, () => ({ path: '/v1/tokens?limit=x' })) })
    const ask = () => limited.get('/v1/batch', { method: 'POST', body, headers: JSON_TYPE })
    // All within one second of the limit, however busy the machine is.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => clock.mockRestore())
    const replies = await Promise.all(Array.from({ length: 40 }, ask))
    expect(replies[0]?.headers.get('ratelimit-policy')).toMatch(/^"100-in-1sec"/)
    const refused = replies.filter(({ status }) => status === 429)
    // The reads of two requests use up the limit.
    expect(refused).toHaveLength(38)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(refused[0]?.body.code).toBe('rate_limited')
  })
})
