import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../test/listen.ts'
import { createServer } from './http-server.ts'
import { MAX_RETURNED } from './upgrades.ts'

const HEAD = ' HTTP/1.1\r\nHost: x\r\n'
const UPGRADE = `GET /livez${HEAD}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

async function open(app: RequestListener): Promise<Socket> {
  const socket = connect(await listen(createServer(app)), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

it.each([
  ['another protocol', UPGRADE],
  ['more than it has read', `GET /livez${HEAD}\r\n`],
])('a connection that keeps requesting %s gains no listeners, and ends', async (_, request) => {
  const listeners: number[] = []
  const socket = await open(({ socket }, response) => {
    listeners.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0))
    response.end('well')
  })
  socket.write(request.repeat(2 * MAX_RETURNED))
  const responses = (await text(socket)).split('HTTP/1.1 200 OK').slice(1)
  expect(MAX_RETURNED + 1 - responses.length).toBeOneOf([0, 1])
  expect(responses.map((response) => /^Connection: close/m.test(response)).indexOf(true)).toBe(responses.length - 1)
  expect(Math.max(...listeners.slice(1))).toBe(listeners[1])
})

it('of many requests in one piece, each is handled in another turn of the event loop', async () => {
  let turn = 0
  const counting = setInterval(() => {}, 1)
  const count = () => {
    turn++
    counter = setImmediate(count)
  }
  let counter = setImmediate(count)
  onTestFinished(() => {
    clearInterval(counting)
    clearImmediate(counter)
  })
  const turns = new Map<string, number>()
  const socket = await open(({ url = '' }, response) => {
    turns.set(url, turn)
    response.end(url)
  })
  const paths = Array.from({ length: MAX_RETURNED }, (_, n) => `/${n}`)
  socket.write(paths.map((path) => `GET ${path}${HEAD}\r\n`).join(''))
  await expect.poll(() => [...turns.keys()]).toEqual(paths)
  expect(new Set(turns.values()).size).toBe(paths.length)
})

it('a chunked body arrives with its length', async () => {
  const seen: unknown[] = []
  const socket = await open(async (request, response) => {
    const { 'content-length': length, 'transfer-encoding': coding, expect } = request.headers
    seen.push([request.method, length, coding, expect, Buffer.concat(await request.toArray()).toString()])
    response.end(request.url)
  })
  socket.write(`POST /a${HEAD}${CHUNKED}\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n`)
  socket.write(`GET /b${HEAD}\r\nPUT /c${HEAD}${CHUNKED}Expect: 100-continue\r\nConnection: close\r\n\r\n`)
  let reply = ''
  for await (const bytes of socket) {
    reply += bytes
    if (/100 Continue\r\n\r\n$/.test(reply)) socket.write('1\r\ne\r\n0\r\n\r\n')
  }
  expect(reply.match(/HTTP\/1.1 \d+|\/[abc](?=HTTP|$)/g)).toEqual([
    ...['HTTP/1.1 200', '/a'],
    ...['HTTP/1.1 200', '/b'],
    ...['HTTP/1.1 100', 'HTTP/1.1 200', '/c'],
  ])
  expect(seen).toEqual([
    ['POST', '4', undefined, undefined, 'abcd'],
    ['GET', undefined, undefined, undefined, ''],
    ['PUT', '1', undefined, undefined, 'e'],
  ])
})

it.each([
  ['in too many chunks', CHUNKED, '1\r\nx\r\n'.repeat(10_000), 413],
  ['with a malformed chunk', CHUNKED, 'x\r\n', 400],
  ['with an unknown coding', 'Transfer-Encoding: gzip, chunked\r\n', '1\r\nx\r\n'.repeat(10_000), 501],
])('a body %s is refused, and no request sees it', async (_, coding, body, status) => {
  const socket = await open(() => expect.unreachable())
  socket.write(`POST /${HEAD}${coding}\r\n${body}`)
  const reply = await text(socket)
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} .*Connection: close\r\n\r\n\\{"error":`, 's'))
})
