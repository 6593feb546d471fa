import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { listen as listenOnPort } from '../../test/listen.ts'
import { closeServer, createServer } from './http-server.ts'
import { responseOn, type Upgrades } from './upgrades.ts'

const HEAD = ' HTTP/1.1\r\nHost: a\r\n'
const PROTOCOL = 'Connection: Upgrade\r\nUpgrade: x\r\n'
const CONNECT = `CONNECT a:1${HEAD}\r\n`
const GARBAGE = 'GARBAGE\r\n\r\n'

async function listen(app: RequestListener = (_request, response) => void response.end('well')) {
  const upgrades: Upgrades = {
    isAccepted: ({ url }) => url === '/taken' || url === '/silent',
    accept: (request, { socket }) => void (request.url === '/taken' && responseOn(request, socket).end('well')),
  }
  const server = createServer(app, {}, { upgrades })
  const port = await listenOnPort(server)
  /** A client that does not close when the server does. */
  const open = () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
  return { server, open }
}

const count = (server: Server) =>
  new Promise<number>((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))))

const noneIsLeft = (server: Server) => expect.poll(() => count(server)).toBe(0)

async function exchange(socket: Socket, request: string): Promise<string> {
  socket.write(request)
  return text(socket)
}

describe('a connection that leaves HTTP', () => {
  const leaving = [
    ['a tunnel', CONNECT],
    ['another protocol', `GET /${HEAD}${PROTOCOL}\r\n`],
    ['a protocol that is accepted', `GET /taken${HEAD}${PROTOCOL}\r\n`],
    ['what is not HTTP', GARBAGE],
  ] as const

  it.each(leaving)('for %s ends nothing else when it is reset at any moment', async (_, request) => {
    const { server, open } = await listen()
    for (let stage = 0; stage < 40; stage++) {
      const socket = open()
      await once(socket, 'connect')
      socket.write(request)
      // Reset at any moment, from before the server reads the request until after its response.
      for (let turn = 0; turn < stage / 4; turn++) await new Promise((resolve) => setImmediate(resolve))
      socket.resetAndDestroy()
    }
    await noneIsLeft(server)
    expect(await exchange(open(), `GET /${HEAD}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /)
  })

  it.each([
    ['a tunnel', CONNECT],
    ['what is not HTTP', GARBAGE],
  ])('for %s is closed once that is refused, whatever the client sends', async (_, request) => {
    const { server, open } = await listen()
    const [silent, ending, writing] = [open(), open(), open()]
    silent.write(request)
    ending.end(`${request}more`)
    writing.write(request)
    // A half-closed connection would still accept writes.
    const more = setInterval(() => writing.write('more'), 5)
    for (const socket of [silent, ending, writing])
      expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 40[05] /)
    await noneIsLeft(server)
    clearInterval(more)
    for (const socket of [silent, ending, writing]) socket.destroy()
  })

  it('has the time limits of its server', async () => {
    const { server, open } = await listen()
    server.timeout = 50
    const socket = open()
    socket.write(`GET /silent${HEAD}${PROTOCOL}\r\n`)
    await once(socket, 'connect')
    await expect.poll(() => count(server)).toBe(1)
    await noneIsLeft(server)
    socket.destroy()
  })

  it('is closed when its server ends', async () => {
    const { server, open } = await listen()
    const socket = open()
    const taken = once(server, 'upgrade')
    socket.resume().write(`GET /silent${HEAD}${PROTOCOL}\r\n`)
    await taken
    await closeServer(server, 10)
    socket.destroy()
  })

  it.each([
    ['a tunnel', CONNECT, 405],
    ['another protocol', `GET /${HEAD}Connection: Upgrade, close\r\nUpgrade: x\r\n\r\n`, 200],
  ])('for %s gets its response after those to earlier requests, however they are read', async (_, last, status) => {
    // The response is larger than the system's buffers and is sent in parts, one after another.
    const part = 'x'.repeat(1 << 20)
    const { open } = await listen(async (request, response) => {
      if (request.url !== '/long') return void response.end('well')
      for (let n = 0; n < 16; n++) if (!response.write(part)) await once(response, 'drain')
      response.end('END')
    })
    const reply = await exchange(open(), `GET /long${HEAD}\r\nGET /short${HEAD}\r\n${last}`)
    const responses = reply.split('HTTP/1.1 ')
    expect(responses.map((response) => Number(response.slice(0, 3)))).toEqual([0, 200, 200, status])
    expect(responses[1]).toMatch(/END\r\n0\r\n\r\n$/)
  })
})

it('a request begins after the response to the one before, and never once its connection has closed', async () => {
  const open: string[] = []
  const begun: string[] = []
  const { open: connectTo } = await listen(({ url = '' }, response) => {
    begun.push(url)
    open.push(url)
    response.once('close', () => open.splice(open.indexOf(url), 1))
    if (url === '/1') response.end('immediately')
  })
  const socket = connectTo()
  socket.write(['/1', '/2', '/3'].map((path) => `GET ${path}${HEAD}\r\n`).join(''))
  await expect.poll(() => open).toEqual(['/2'])
  socket.resetAndDestroy()
  await expect.poll(() => open).toEqual([])
  expect(begun).toEqual(['/1', '/2'])
})

it('a pipelined request that waits for "100 Continue" gets it before its own response', async () => {
  const { open } = await listen((request, response) => {
    if (request.url === '/late') setTimeout(() => response.end('late'), 20)
    else request.resume().once('end', () => response.end('well'))
  })
  const expecting = `POST /${HEAD}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody`
  const reply = await exchange(open(), `GET /late${HEAD}\r\n${expecting}`)
  expect(reply.match(/HTTP\/1.1 \d+|late|well/g)).toEqual([
    'HTTP/1.1 200',
    'late',
    'HTTP/1.1 100',
    'HTTP/1.1 200',
    'well',
  ])
})

it.each(['', PROTOCOL])(
  'a request with more headers than Node keeps is refused, and its body is not read as a request: %j',
  async (more) => {
    const asked: string[] = []
    const { open } = await listen(({ url = '' }, response) => {
      asked.push(url)
      response.end('well')
    })
    const body = `GET /inside${HEAD}\r\n`
    const reply = await exchange(
      open(),
      `POST /${HEAD}${more}${'x: y\r\n'.repeat(1_100)}Content-Length: ${body.length}\r\n\r\n${body}GET /after${HEAD}\r\n`,
    )
    expect(reply.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 431'])
    expect(asked).not.toContain('/inside')
  },
)
