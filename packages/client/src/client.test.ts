import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { pauseFor, retryAfterMs } from './retry.ts'

type Reply = (request: IncomingMessage & { body: string }, response: ServerResponse) => void

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** A server that sends these responses in turn, and then repeats the last one. */
async function serve(...replies: Reply[]) {
  const seen: { url: string; method: string; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      seen.push({ url: request.url ?? '', method: request.method ?? '', body })
      replies[Math.min(seen.length, replies.length) - 1]?.(Object.assign(request, { body }), response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const pauses: number[] = []
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pause: ClientOptions['pause'] = async (ms) => {
    pauses.push(ms)
  }
  return { seen, pauses, client: (options = {}) => createClient({ baseUrl: `${baseUrl}/`, pause, ...options }) }
}

const json =
  (status: number, body: unknown, headers = {}): Reply =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
const hangUp: Reply = (_, response) => response.destroy()

describe('a call', () => {
  it('puts its parameters where they belong', async () => {
    const { seen, client } = await serve(json(200, { data: [] }))
    await client().call('getToken', { network: 'bsc', address: '0xa/b?c' })
    await client().call('searchSwaps', { network: 'eth', limit: 5, from: '2026-11-21T00:00:00Z' })
    await client().call('batch', { requests: [{ path: '/v1/tokens' }] })
    expect(seen).toEqual([
      { method: 'GET', url: '/v1/tokens/bsc/0xa%2Fb%3Fc', body: '' },
      { method: 'GET', url: '/v1/swaps?network=eth&limit=5&from=2026-11-21T00%3A00%3A00Z', body: '' },
      { method: 'POST', url: '/v1/batch', body: '{"requests":[{"path":"/v1/tokens"}]}' },
    ])
    await expect(client().call('getToken', { network: 'bsc', address: '..' })).rejects.toThrow(RangeError)
  })

  it("retries after the server's pause, and doubles its own pauses without one", async () => {
    const { seen, pauses, client } = await serve(
      json(429, { error: 'x' }, { 'Retry-After': '7' }),
      json(503, { error: 'x' }),
      hangUp,
      json(200, { data: ['found'] }),
    )
    expect(await client().call('listProtocols', {})).toEqual({ data: ['found'] })
    expect(seen).toHaveLength(4)
    expect(pauses[0]).toBe(7_000)
    for (const [at, base] of [500, 1_000].entries()) {
      expect(pauses[at + 1]).toBeGreaterThanOrEqual(base * 0.75)
      expect(pauses[at + 1]).toBeLessThanOrEqual(base * 1.25)
    }
  })

  it('fails after all attempts, with the last response', async () => {
    const body = { error: 'not now', code: 'unavailable' }
    const { seen, client } = await serve(json(503, body, { 'X-Request-Id': 'abc' }))
    const failure = { message: 'not now', status: 503, code: 'unavailable', requestId: 'abc' }
    await expect(client({ attempts: 3 }).call('getStatus', {})).rejects.toMatchObject(failure)
    expect(seen).toHaveLength(3)
  })

  it('does not wait longer than allowed', async () => {
    const { seen, pauses, client } = await serve(json(429, { error: 'x' }, { 'Retry-After': '61' }))
    await expect(client().call('getStatus', {})).rejects.toMatchObject({ status: 429, code: null })
    expect([seen.length, pauses]).toEqual([1, []])
  })

  it('does not retry a permanent error', async () => {
    const { seen, client } = await serve(json(400, { error: 'no', code: 'invalid_parameter' }))
    await expect(client().call('listTokens', {})).rejects.toMatchObject({ status: 400, code: 'invalid_parameter' })
    expect(seen).toHaveLength(1)
  })

  it.each([
    ['not JSON', 200, '<html>'],
    ['not JSON after a failure', 500, ''],
  ])('reports a response that is %s', async (_, status, text) => {
    const { client } = await serve((__, response) => response.writeHead(status).end(text))
    await expect(client().call('getStatus', {})).rejects.toMatchObject({ name: 'DexfeedError', status })
  })

  const breakOff: Reply = (_, response) => {
    response.writeHead(200, { 'Content-Length': 20 }).write('{"data"', () => response.destroy())
  }

  it('retries a response that is cut off, and reports one that always is', async () => {
    const { seen, client } = await serve(breakOff, json(200, { data: ['whole'] }), breakOff)
    expect(await client().call('listProtocols', {})).toEqual({ data: ['whole'] })
    expect(seen).toHaveLength(2)
    const failure = { name: 'DexfeedError', message: 'the response was cut off', status: 200 }
    await expect(client({ attempts: 2 }).call('listProtocols', {})).rejects.toMatchObject(failure)
    expect(seen).toHaveLength(4)
  })

  it("ends with the signal's reason when it is aborted during the response", async () => {
    const stop = new AbortController()
    const { seen, client } = await serve((_, response) => void response.writeHead(200).write('{"data"'))
    const fetch: ClientOptions['fetch'] = async (...args) => {
      const response = await globalThis.fetch(...args)
      setImmediate(() => stop.abort(new Error('enough')))
      return response
    }
    await expect(client({ fetch }).call('getStatus', {}, { signal: stop.signal })).rejects.toThrow('enough')
    expect(seen).toHaveLength(1)
  })

  it('retries even if the unread body cannot be cancelled', async () => {
    const stuck = () => new ReadableStream({ cancel: () => Promise.reject(new TypeError('terminated')) })
    const replies = [() => new Response(stuck(), { status: 503 }), () => Response.json({ data: [] })]
    const { client } = await serve()
    const fetch: ClientOptions['fetch'] = async () => replies.shift()?.() ?? Response.error()
    expect(await client({ fetch }).call('listProtocols', {})).toEqual({ data: [] })
  })

  it('reports a server that does not respond', async () => {
    const { client } = await serve(hangUp)
    await expect(client({ attempts: 2 }).call('getStatus', {})).rejects.toMatchObject({ status: null, code: null })
  })

  it('ends when it is aborted during a pause', async () => {
    const { client } = await serve(json(503, { error: 'x' }, { 'Retry-After': '60' }))
    const stop = new AbortController()
    const running = client({ pause: undefined }).call('getStatus', {}, { signal: stop.signal })
    setImmediate(() => stop.abort(new Error('enough')))
    await expect(running).rejects.toThrow('enough')
  })
})

it('a pause ends immediately if its signal was aborted before', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(pauseFor(2 ** 30, signal)).rejects.toThrow('enough')
})

describe('a list', () => {
  const page = (data: unknown[], next: string | null) => json(200, { data, next, prev: null })

  it('is read page by page, no further than needed', async () => {
    const { seen, client } = await serve(page([1, 2], 'b'), page([], 'c'), page([3], null))
    const rows: unknown[] = []
    for await (const row of client().rows('listTokens', { search: 'x' })) rows.push(row)
    expect(rows).toEqual([1, 2, 3])
    expect(seen.map(({ url }) => url)).toEqual([
      '/v1/tokens?search=x',
      '/v1/tokens?search=x&cursor=b',
      '/v1/tokens?search=x&cursor=c',
    ])
    for await (const _ of client().rows('listTokens', {})) break
    expect(seen).toHaveLength(4)
  })

  it('with a repeated cursor ends with an error', async () => {
    const { client } = await serve(page([1], 'b'))
    const walk = async () => {
      for await (const _ of client().rows('listTokens', {}));
    }
    await expect(walk()).rejects.toThrow('repeats a page')
  })
})

it.each([
  ['0', 0],
  ['7', 7_000],
  ['Thu, 01 Jan 1970 00:00:09 GMT', 4_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['soon', null],
  ['-1', null],
  [null, null],
])('Retry-After %s is %s ms', (header, ms) => {
  expect(retryAfterMs(header, 5_000)).toBe(ms)
})
