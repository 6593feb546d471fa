import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { isServed, openConnections } from '@dexfeed/test-setup/connections'
import { hasHaproxy } from '@dexfeed/test-setup/haproxy'
import { beforeAll, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { openProxy, raw } from './replicas.ts'

const CLIENT_CONNECTIONS = 1_536

const echo: RequestListener = async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method, url, rawHeaders } = request
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ method, url, headers: rawHeaders, body }))
}

const valuesOf = (headers: string[], name: string) =>
  headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name)
const echoed = (reply: string) => JSON.parse(reply.slice(reply.indexOf('{"method"'), reply.lastIndexOf('}') + 1))

/** Requests that arrive too slowly. HAProxy waits ten seconds for them, during the other tests. */
let slow: { proxy: Awaited<ReturnType<typeof openProxy>>; replies: Promise<[headers: string, body: string]> }

beforeAll(async () => {
  if (!hasHaproxy()) return
  const proxy = await openProxy([echo])
  const drip = async (start: string): Promise<string> => {
    const socket = connect(proxy.port, '127.0.0.1').setEncoding('utf8')
    socket.on('error', () => undefined).write(start)
    const dripping = setInterval(() => socket.write('x'), 500)
    const [response] = await once(socket, 'data')
    clearInterval(dripping)
    socket.destroy()
    return response
  }
  const headers = drip('GET / HTTP/1.1\r\nHost: a\r\nx: ')
  const body = drip('POST /v1/batch HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n')
  slow = { proxy, replies: Promise.all([headers, body]) }
})

describe.skipIf(!hasHaproxy())('a request', () => {
  test('arrives unchanged, except for what a client claims about itself', async () => {
    const proxy = await openProxy([echo])
    const forged = { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6', 'x-real-ip': '6.6.6.6', te: 'trailers' }
    const claims = { ...forged, 'x-forwarded-host': 'a', 'x-forwarded-proto': 'https', expect: '100-continue' }
    const kept = { connection: 'close', 'x-request-id': 'abc', host: 'feed.example' }
    const lines = Object.entries({ ...claims, ...kept }).map(([name, value]) => `${name}: ${value}\r\n`)
    const received = echoed(await raw(proxy.port, `GET /v1/x?a=1&a=%zz HTTP/1.1\r\n${lines.join('')}\r\n`))
    expect(received).toMatchObject({ method: 'GET', url: '/v1/x?a=1&a=%zz', body: '' })
    expect(valuesOf(received.headers, 'x-forwarded-for')).toEqual(['127.0.0.1'])
    expect(valuesOf(received.headers, 'host')).toEqual(['feed.example'])
    expect(valuesOf(received.headers, 'x-request-id')).toEqual(['abc'])
    for (const name of Object.keys(claims).slice(1))
      expect([name, valuesOf(received.headers, name)]).toEqual([name, []])
  })

  test.each([
    ['0', '6.6.6.6, 203.0.113.7', '127.0.0.1'],
    ['1', '6.6.6.6, 203.0.113.7', '203.0.113.7'],
    ['2', '6.6.6.6, 203.0.113.7', '6.6.6.6'],
    ['2', '203.0.113.7', '203.0.113.7'],
    ['1', '6.6.6.6, 203.0.113.7:5123', '203.0.113.7'],
    ['1', '[2001:db8::7]:5123', '2001:db8::7'],
    ['1', 'unknown', '127.0.0.1'],
    ['10.0.0.0/8', '6.6.6.6', '127.0.0.1'],
    ['loopback, 203.0.113.7', '6.6.6.6', '6.6.6.6'],
    ['loopback, 203.0.113.7', '6.6.6.6, 203.0.113.7', '6.6.6.6'],
    ['127.0.0.1,203.0.113.7', '6.6.6.6, 198.51.100.1, 203.0.113.7', '198.51.100.1'],
    ['loopback', '6.6.6.6, unknown', '127.0.0.1'],
  ])('with TRUST_PROXY=%s and X-Forwarded-For: %s is from %s', async (trustProxy, forwarded, client) => {
    const proxy = await openProxy([echo], trustProxy)
    const response = await fetch(proxy.url, { headers: { 'x-forwarded-for': forwarded } })
    expect(valuesOf(((await response.json()) as { headers: string[] }).headers, 'x-forwarded-for')).toEqual([client])
  })

  //  client    METHOD /x  [GET /inside]     GET /after
  //  replica   METHOD /x  [GET /inside]     GET /after     the inner request stays a body
  test('cannot bring another one along in its body', async () => {
    const seen: unknown[] = []
    const proxy = await openProxy([
      async (request, response) => {
        const body = Buffer.concat(await request.toArray()).toString()
        seen.push([request.url, body === '' || body.startsWith('GET /inside')])
        response.end('answer')
      },
    ])
    const inside = 'GET /inside HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n'
    const chunked = `${inside.length.toString(16)}\r\n${inside}\r\n0\r\n\r\n`
    for (const method of ['POST', 'PUT', 'PATCH', 'GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'PROPFIND']) {
      for (const [framing, body] of [
        ['Transfer-Encoding: chunked', chunked],
        [`Content-Length: ${inside.length}`, inside],
        [`Connection: content-length\r\nContent-Length: ${inside.length}`, inside],
        [`Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: ${inside.length}`, inside],
        ['Connection: upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked', chunked],
        [`Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked`, chunked],
      ]) {
        await raw(proxy.port, `${method} /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${framing}\r\n\r\n${body}`)
        expect(await (await fetch(`${proxy.url}/after`)).text()).toBe('answer')
        const note = `${method} ${framing}`
        expect([note, ...seen.splice(0)]).toEqual([note, ['/x', true], ['/after', true]])
      }
    }
  })

  test.each([
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['another transfer coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 422],
    ['an unknown transfer coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['too many headers', `GET / HTTP/1.1\r\nHost: a\r\n${'x: y\r\n'.repeat(1_100)}\r\n`, 400],
    ['too long headers', `GET / HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(50_000)}\r\n\r\n`, '4(00|14|31)'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405],
  ])('with %s is refused and ends the connection', async (_, text, status) => {
    const proxy = await openProxy([echo])
    const reply = await raw(proxy.port, `${text}0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(reply).toMatch(new RegExp(`^HTTP/1.[01] ${status} `))
    expect(reply.match(/HTTP\/1\.[01] /g)).toHaveLength(1)
    expect(proxy.replicas[0]?.requests).toBe(0)
  })

  test('with a length and a coding is read by its coding and ends the connection', async () => {
    const proxy = await openProxy([echo])
    const both = 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    const reply = await raw(proxy.port, `${both}GET /inside HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(echoed(reply)).toMatchObject({ url: '/x', body: '' })
    expect(valuesOf(echoed(reply).headers, 'content-length')).toEqual([])
    expect(proxy.replicas[0]?.requests).toBe(1)
  })

  test.each([
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', []],
    ['no Host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', ['api']],
    [
      'an upgrade to another protocol',
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n',
      ['a'],
    ],
  ])('with %s is left to the API', async (_, text, hosts) => {
    const proxy = await openProxy([echo])
    const { headers } = echoed(await raw(proxy.port, text))
    expect(valuesOf(headers, 'host')).toEqual(hosts)
    expect(valuesOf(headers, 'upgrade')).toEqual([])
  })

  test('of a client that holds its part of the connections is refused, unless it is a trusted proxy', async () => {
    const { url } = await openProxy([echo], '0')
    const { url: trusting } = await openProxy([echo], '1')
    const servesOneMore = async (proxy: string) => {
      await openConnections(proxy, '127.0.0.12', CLIENT_CONNECTIONS).catch(() => undefined)
      return isServed(proxy, '127.0.0.12')
    }
    // Repeated, because HAProxy counts a connection after the kernel accepts it, and closes it after ten idle seconds.
    await expect.poll(() => servesOneMore(url)).toBe(false)
    expect(await isServed(url, '127.0.0.13')).toBe(true)
    expect(await servesOneMore(trusting)).toBe(true)
  })
})

describe.skipIf(!hasHaproxy())('a response', () => {
  test.each([206, 304, 404])('keeps its status %i, headers and body', async (status) => {
    const kept = { ETag: '"a"', 'Cache-Control': 'max-age=1', 'Access-Control-Allow-Origin': 'https://a' }
    const proxy = await openProxy([(_, response) => void response.writeHead(status, kept).end('body')])
    const response = await fetch(proxy.url)
    expect([response.status, await response.text()]).toEqual([status, status === 304 ? '' : 'body'])
    for (const [name, value] of Object.entries(kept)) expect(response.headers.get(name)).toBe(value)
  })

  test('arrives event by event, and ends in the replica when its reader leaves', async () => {
    let left = false
    let send = () => {}
    const proxy = await openProxy([
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
        send = () => response.write('data: 1\n\n')
        response.once('close', () => {
          left = true
        })
      },
    ])
    const reader = (await fetch(proxy.url)).body?.getReader()
    for (let n = 0; n < 3; n++) {
      send()
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n')
    }
    await reader?.cancel()
    await expect.poll(() => left).toBe(true)
  })
})

describe.skipIf(!hasHaproxy())('a WebSocket', () => {
  test('is joined with one to a replica, both ways, and ends with it', async () => {
    const proxy = await openProxy([echo])
    const seen: unknown[] = []
    const accepting = new WebSocketServer({ noServer: true })
    proxy.replicas[0]?.server.on('upgrade', (request, socket, head) => {
      seen.push(request.headers['x-forwarded-for'])
      accepting.handleUpgrade(request, socket, head, (stream) => {
        stream.on('message', (data) => stream.send(`${request.url} ${data}`))
      })
    })
    const headers = { 'x-forwarded-for': '6.6.6.6' }
    const client = new WebSocket(`${proxy.url.replace('http', 'ws')}/v1/stream`, { headers })
    await once(client, 'open')
    const big = 'x'.repeat(1 << 20)
    client.send(big)
    const [reply] = await once(client, 'message')
    expect(String(reply)).toBe(`/v1/stream ${big}`)
    expect(seen).toEqual(['127.0.0.1'])
    const closed = once(client, 'close')
    for (const stream of accepting.clients) stream.terminate()
    await closed
  })
})

describe.skipIf(!hasHaproxy())('a request', () => {
  test('that arrives too slowly is refused, and no replica sees it', async () => {
    const [headers, body] = await slow.replies
    expect(headers).toMatch(/^HTTP\/1.[01] 408 /)
    expect(body).toMatch(/^HTTP\/1.[01] 408 .*{"error":"the request took too long to arrive"}$/s)
    expect(slow.proxy.replicas[0]?.requests).toBe(0)
  })
})
