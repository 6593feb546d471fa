import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { failureHandler, notFound } from './failure-handler.ts'
import { frontOf, messagesOf, type ShortRoute } from './front.ts'
import type { Guard } from './guards.ts'
import { HttpFailure } from './http-failure.ts'
import { Turns } from './limits/turns.ts'

let server: Server

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/**
 * Starts a front with these routes, which the app has, too. Returns a function that sends a request line and returns
 * the response.
 */
async function front(routes: Record<string, ShortRoute>, guards: readonly Guard[] = []) {
  const app = express()
  app.disable('x-powered-by')
  const short = new Map(Object.entries(routes))
  for (const [path, route] of short) app.get(path, route)
  app.use(notFound)
  app.use(failureHandler)
  server = createServer(messagesOf(app), frontOf(app, guards, short, new Turns()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return (target: string, method = 'GET') =>
    new Promise<string>((resolve, reject) => {
      let reply = ''
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      )
      socket.on('data', (data) => {
        reply += data
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(reply.replace(/Date: .*\r\n/, '')))
    })
}

const echo: ShortRoute = ({ query, ip, path, originalUrl, route, method }, response) =>
  void response
    .set('ETag', '"a"')
    .json({ query, ip, path: path.toLowerCase().replace(/\/$/, ''), originalUrl, route: route.path, method })

test('a short route gets the same request either way', async () => {
  const ask = await front({ '/api/quote': echo })
  const reply = await ask('/api/quote?a=1&b=%20x')
  expect(reply).toContain('"query":{"a":"1","b":" x"},"ip":"127.0.0.1","path":"/api/quote"')
  for (const target of ['/API/Quote?a=1&b=%20x', '/api/quote/?a=1&b=%20x', 'http://localhost/api/quote?a=1&b=%20x']) {
    const other = await ask(target)
    expect(other.replace(target, '/api/quote?a=1&b=%20x').split('\r\n').at(-1)).toEqual(reply.split('\r\n').at(-1))
  }
})

test('a failure is reported either way', async () => {
  const failure = new HttpFailure(409, 'not like this')
  const ask = await front({
    '/thrown': () => {
      throw failure
    },
    '/rejected': async () => Promise.reject(failure),
  })
  for (const target of ['/thrown', '/rejected', '/Thrown', '/Rejected']) {
    const reply = await ask(target)
    expect(reply).toMatch(/^HTTP\/1\.1 409 /)
    expect(reply).toContain('{"error":"not like this"}')
  }
  expect(await ask('/other')).toMatch(/^HTTP\/1\.1 404 /)
})

test.each([
  [
    'throws',
    () => {
      throw new HttpFailure(400, 'refused')
    },
  ],
  ['responds', (_request, response) => void response.status(400).end('{"error":"refused"}')],
] satisfies [string, Guard][])('a guard that %s keeps a request from everything after it', async (_how, guard) => {
  let reached = 0
  const ask = await front({ '/short': () => void reached++ }, [() => {}, guard, () => void reached++])
  for (const target of ['/short', '/Short', '/other']) expect(await ask(target)).toContain('{"error":"refused"}')
  expect(reached).toBe(0)
})

test('a message keeps its first prototype, either way', async () => {
  const prototypes: object[] = []
  const note = (message: object) => void prototypes.push(Object.getPrototypeOf(message))
  const both: Guard = (request, response) => [request, response].forEach(note)
  const ask = await front({ '/short': (request, response) => void response.end(void both(request, response)) }, [both])
  server.prependListener('request', (request, response) => [request, response].forEach(note))
  for (const target of ['/short', '/Short']) {
    await ask(target)
    const [request, response, ...later] = prototypes.splice(0)
    expect(later).toEqual([request, response, request, response])
  }
})
