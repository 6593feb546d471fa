import type { RequestListener, Server } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listen as listenOnPort } from '../../test/listen.ts'
import { createServer } from './http-server.ts'

let server: Server

function listen(app: RequestListener, limits: Parameters<typeof createServer>[2] = {}): Promise<number> {
  server = createServer(app, {}, limits)
  return listenOnPort(server)
}

/** Sends bytes and returns everything that arrives until the server closes. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => {
      reply += data
    })
    socket.on('close', () => resolve(reply))
    socket.on('error', () => {})
  })
}

describe('server', () => {
  it.each([
    ['longer than most balancers keep theirs', {}, 65],
    ['as long as is set', { keepAliveS: 300 }, 300],
  ])('keeps idle connections %s, and says so', async (_, limits, seconds) => {
    const port = await listen((_request, response) => response.end(), limits)
    const response = await fetch(`http://127.0.0.1:${port}`)
    expect(response.headers.get('keep-alive')).toMatch(new RegExp(`^timeout=${seconds},`))
  })

  it('has limits on time, size and number', async () => {
    await listen((_request, response) => response.end())
    expect(server.headersTimeout).toBeLessThanOrEqual(10_000)
    expect(server.requestTimeout).toBeLessThanOrEqual(30_000)
    expect(server.timeout).toBeGreaterThan(0)
    // Node needs up to twice the timeout to notice that a client reads nothing.
    expect(2 * server.timeout).toBeLessThanOrEqual(90_000)
    expect(server.maxConnections).toBeGreaterThan(0)
    expect(server.maxRequestsPerSocket).toBeGreaterThan(0)
  })

  it('cuts off a client that never ends its headers, and says why', async () => {
    const port = await listen((_request, response) => response.end())
    server.headersTimeout = 50
    server.requestTimeout = 50
    const reply = await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\nX: ')
    expect(reply).toMatch(/^HTTP\/1.1 408 /)
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toEqual({
      error: 'the request took too long to arrive',
    })
  })

  it('writes nothing into a response that has begun', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('half')
    })
    const reply = await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\n')
    expect(reply).not.toMatch(/ 400 |error/)
  })

  it('cuts off a client that reads nothing of its response, and no other', async () => {
    let finish: () => void = () => undefined
    const port = await listen((request, response) => {
      if (request.url === '/large') response.end(Buffer.alloc(64_000_000))
      else finish = () => response.end('at last')
    })
    server.timeout = 100
    const patient = raw(port, 'GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    const greedy = connect(port, '127.0.0.1', () => greedy.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n'))
    greedy.on('error', () => undefined)
    const connections = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
    await expect.poll(connections).toBe(2)
    await expect.poll(connections).toBe(1)
    finish()
    expect(await patient).toMatch(/at last$/)
    greedy.destroy()
  })
})
