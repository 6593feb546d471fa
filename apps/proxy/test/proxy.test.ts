import { once } from 'node:events'
import { get, type RequestListener } from 'node:http'
import { isAnswered, openConnections } from '@dexfeed/test-setup/connections'
import { describe, expect, test, vi } from 'vitest'
import { openProxy, raw } from './proxy-fixture.ts'

/** Tells who answered and what it was asked. */
const echo: RequestListener = async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method, url, rawHeaders } = request
  const answer = { by: request.socket.localAddress, method, url, headers: rawHeaders, body }
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer))
}

const valuesOf = (headers: string[], name: string) =>
  headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name)

describe('a request', () => {
  test('arrives as it was sent, but for what is of the connection and what clients say of themselves', async () => {
    const proxy = await openProxy([echo])
    const forged = { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6', 'x-real-ip': '6.6.6.6', te: 'trailers' }
    const named = { connection: 'close, x-secret', 'x-secret': '1', 'x-request-id': 'abc', host: 'feed.example' }
    const lines = Object.entries({ ...forged, ...named }).map(([name, value]) => `${name}: ${value}\r\n`)
    const reply = await raw(proxy.port, `GET /v1/x?a=1&a=%zz HTTP/1.1\r\n${lines.join('')}\r\n`)
    const asked = JSON.parse(reply.slice(reply.indexOf('{"by"'), reply.lastIndexOf('}') + 1))
    expect(asked).toMatchObject({ method: 'GET', url: '/v1/x?a=1&a=%zz', body: '' })
    expect(valuesOf(asked.headers, 'x-forwarded-for')).toEqual(['127.0.0.1'])
    expect(valuesOf(asked.headers, 'host')).toEqual(['feed.example'])
    expect(valuesOf(asked.headers, 'x-request-id')).toEqual(['abc'])
    for (const name of ['forwarded', 'x-real-ip', 'te', 'x-secret']) expect(valuesOf(asked.headers, name)).toEqual([])
  })

  test('names the client that a trusted proxy in front saw, and nobody else', async () => {
    const proxy = await openProxy([echo], { trustProxy: 1 })
    const headers = { 'x-forwarded-for': '6.6.6.6, 203.0.113.7' }
    const asked = (await (await fetch(proxy.url, { headers })).json()) as { headers: string[] }
    expect(valuesOf(asked.headers, 'x-forwarded-for')).toEqual(['203.0.113.7'])
  })

  test('is posted with its body; one of a GET goes no further', async () => {
    const proxy = await openProxy([echo])
    const body = 'x'.repeat(200_000)
    const posted = (await (await fetch(`${proxy.url}/v1/batch`, { method: 'POST', body })).json()) as { body: string }
    expect(posted.body).toBe(body)
    const inside = 'GET /inside HTTP/1.1\r\nHost: a\r\n\r\n'
    const one = `GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: ${inside.length}\r\n\r\n${inside}`
    const reply = await raw(proxy.port, `${one}GET /two HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect([...reply.matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url)).toEqual(['/one', '/two'])
    expect(reply).not.toContain('content-length"')
  })

  //  client    POST, PUT, PATCH /x  [GET /inside]     GET /after
  //  replica   POST, PUT, PATCH /x  [GET /inside]     GET /after     on the same connection
  //  client    all others /x        [GET /inside]     GET /after
  //  replica   all others /x                          GET /after
  const methods = ['POST', 'PUT', 'PATCH', 'GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'PROPFIND']
  test.each(
    methods.flatMap((method) => [
      { method, framing: 'Transfer-Encoding: chunked' },
      { method, framing: 'Content-Length: 59' },
      { method, framing: 'Connection: content-length\r\nContent-Length: 59' },
      { method, framing: 'Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 59' },
      { method, framing: 'Connection: upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked' },
    ]),
  )('with the body of a $method ($framing) brings no other request along', async ({ method, framing }) => {
    const seen: unknown[] = []
    const proxy = await openProxy([
      async (request, response) => {
        seen.push([request.method, request.url, Buffer.concat(await request.toArray()).toString()])
        response.end('answer')
      },
    ])
    const inside = 'GET /inside HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n'
    const body = framing.endsWith('59') ? inside : `3b\r\n${inside}\r\n0\r\n\r\n`
    await raw(proxy.port, `${method} /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${framing}\r\n\r\n${body}`)
    expect(await (await fetch(`${proxy.url}/after`)).text()).toBe('answer')
    expect(seen).toEqual([
      [method, '/x', ['POST', 'PUT', 'PATCH'].includes(method) ? inside : ''],
      ['GET', '/after', ''],
    ])
  })

  test.each([
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', ['a', 'b']],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', []],
    ['no Host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', ['api']],
  ])('with %s is left to the API to judge', async (_, text, hosts) => {
    const proxy = await openProxy([echo])
    const reply = await raw(proxy.port, text)
    const { headers } = JSON.parse(reply.slice(reply.indexOf('{"by"'), reply.lastIndexOf('}') + 1))
    expect(valuesOf(headers, 'host')).toEqual(hosts)
  })

  test.each([
    ['another transfer coding', 'POST /v1/batch HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 501],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['length and coding', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ])('with %s is refused and ends the connection', async (_, text, status) => {
    const proxy = await openProxy([echo])
    const reply = await raw(proxy.port, `${text}0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(reply.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toHaveProperty('error')
    expect(proxy.replicas[0]?.asked).toBe(0)
  })
})

describe('an answer', () => {
  test('is passed on with its status and headers, but for what is of the connection', async () => {
    const proxy = await openProxy([
      (_request, response) => {
        response.sendDate = false
        response.writeHead(206, 'Partly', { ETag: '"a"', Connection: 'x-own', 'X-Own': '1', Link: ['<a>', '<b>'] })
        response.end('body')
      },
    ])
    const response = await fetch(proxy.url)
    expect([response.status, response.statusText, await response.text()]).toEqual([206, 'Partly', 'body'])
    expect(response.headers.get('etag')).toBe('"a"')
    expect(response.headers.get('link')).toBe('<a>, <b>')
    expect(response.headers.has('x-own')).toBe(false)
  })

  test('to HEAD, and 304, have headers and no body', async () => {
    const proxy = await openProxy([
      ({ url }, response) => response.writeHead(url === '/304' ? 304 : 200, { 'Content-Length': '1000' }).end(),
    ])
    const head = 'HEAD / HTTP/1.1\r\nHost: a\r\n\r\n'
    const reply = await raw(proxy.port, `${head}GET /304 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(reply).toMatch(/^HTTP\/1.1 200 OK\r\nContent-Length: 1000\r\n[^{}]*\r\n\r\nHTTP\/1.1 304 /)
  })

  test('is taken from the API no faster than the client takes it', async () => {
    const chunk = Buffer.alloc(1 << 20)
    const total = 256
    let made = 0
    const proxy = await openProxy([
      async (_request, response) => {
        while (made < total) {
          made++
          if (!response.write(chunk)) await once(response, 'drain')
        }
        response.end()
      },
    ])
    const response = await fetch(proxy.url)
    const reader = response.body?.getReader()
    let read = (await reader?.read())?.value?.length ?? 0
    // Sockets on the way hold some; they are full when nothing more is made while nothing is read.
    await vi.waitUntil(
      async () => {
        const before = made
        await new Promise((resolve) => setTimeout(resolve, 100))
        return made === before
      },
      { timeout: 10_000 },
    )
    expect(made).toBeLessThan(total / 4)
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) read += part.value.length
    expect(read).toBe(total * chunk.length)
  })

  test('comes event by event, and is ended when its reader leaves', async () => {
    let left = false
    let happen = () => {}
    const proxy = await openProxy([
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
        happen = () => response.write('data: 1\n\n')
        response.once('close', () => {
          left = true
        })
      },
    ])
    const leaving = new AbortController()
    // It has begun, though nothing happened yet.
    const response = await fetch(proxy.url, { signal: leaving.signal })
    happen()
    const first = await response.body?.getReader().read()
    expect(Buffer.from(first?.value ?? []).toString()).toBe('data: 1\n\n')
    expect(left).toBe(false)
    leaving.abort()
    await vi.waitUntil(() => left)
  })

  test('that breaks off is cut, never ended as if it were whole', async () => {
    const proxy = await openProxy([
      (_request, response) => {
        response.write('half')
        setTimeout(() => response.socket?.destroy(), 20)
      },
      echo,
    ])
    proxy.names.pop()
    await proxy.sees('ready', 1)
    const response = await fetch(proxy.url)
    await expect(response.text()).rejects.toThrow('terminated')
    expect(proxy.replicas[1]?.asked).toBe(0)
    expect(await proxy.metric('dexfeed_proxy_answers_total')).toContain('outcome="cut"} 1')
  })
})

describe('when it stops', () => {
  test('open requests end, then the connection does, and nobody is let in', async () => {
    let finish = () => {}
    const late: RequestListener = (_request, response) => {
      finish = () => response.end('whole')
    }
    const proxy = await openProxy([late], { finishMs: 5_000 })
    const asked = get(proxy.url)
    const answered = once(asked, 'response')
    await vi.waitUntil(() => proxy.replicas[0]?.asked === 1)
    const stopped = proxy.stop()
    await expect(fetch(proxy.url)).rejects.toThrow()
    finish()
    const [response] = await answered
    expect(await response.setEncoding('utf8').toArray()).toEqual(['whole'])
    await stopped
  })
})

test('a client holds no more than its part of the connections, unless it is a trusted proxy', async () => {
  const answers = async (trustProxy: number | null) => {
    const { url } = await openProxy([echo], { trustProxy, maxConnections: 8 })
    await openConnections(url, '127.0.0.2', 6)
    return [await isAnswered(url, '127.0.0.2'), await isAnswered(url, '127.0.0.3')]
  }
  expect(await answers(null)).toEqual([false, true])
  expect(await answers(1)).toEqual([true, true])
})
