import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { openProxy, raw } from './proxy-fixture.ts'

const plain: RequestListener = (_request, response) => void response.writeHead(404).end('no stream')

test('a WebSocket is joined with one to a replica, both ways, and ends with it', async () => {
  const proxy = await openProxy([plain])
  const [replica] = proxy.replicas
  const seen: unknown[] = []
  const accepting = new WebSocketServer({ noServer: true })
  replica?.server.on('upgrade', (request, socket, head) => {
    seen.push(request.headers['x-forwarded-for'])
    accepting.handleUpgrade(request, socket, head, (stream) => {
      stream.on('message', (data) => stream.send(`${request.url} ${data}`))
    })
  })
  const client = new WebSocket(`${proxy.url.replace('http', 'ws')}/v1/stream`, {
    headers: { 'x-forwarded-for': '6.6.6.6' },
  })
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

test('what a replica answers in the place of a WebSocket reaches the client', async () => {
  const proxy = await openProxy([plain])
  const reply = await raw(
    proxy.port,
    'GET /v1/stream HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  )
  expect(reply).toMatch(/^HTTP\/1.1 404 Not Found\r\n/)
  expect(reply).toContain('no stream')
})

test('an answer in the place of a WebSocket that breaks off before its body ends its connection and nothing else', async () => {
  const proxy = await openProxy([plain])
  proxy.replicas[0]?.server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n', () => setTimeout(() => socket.destroy(), 20))
  })
  const reply = await raw(proxy.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  // What was sent does not look whole.
  expect(reply).toBe('')
})

test('an upgrade to anything else is ignored, and the request answered', async () => {
  const proxy = await openProxy([plain])
  const reply = await raw(proxy.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n')
  expect(reply).toMatch(/^HTTP\/1.1 404 Not Found\r\n/)
})

test('a WebSocket is asked of another replica where one is gone, and refused where none is left', async () => {
  const proxy = await openProxy([plain, plain])
  const accepting = new WebSocketServer({ noServer: true })
  proxy.replicas[0]?.server.on('upgrade', (_request, socket) => socket.destroy())
  proxy.replicas[1]?.server.on('upgrade', (request, socket, head) => {
    accepting.handleUpgrade(request, socket, head, (stream) => stream.close())
  })
  for (let turn = 0; turn < 10; turn++) {
    const client = new WebSocket(proxy.url.replace('http', 'ws'))
    await once(client, 'close')
  }
  expect(await proxy.metric('dexfeed_proxy_answers_total')).toContain('outcome="1xx"} 10')
  await Promise.all(proxy.replicas.map(({ kill }) => kill()))
  const reply = await raw(proxy.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  expect(reply).toMatch(/^HTTP\/1.1 503 .*the API does not answer now/s)
})

test.each(['websocket', 'h2c'])(
  'a request for %s behind one that is not answered yet waits for its turn',
  async (to) => {
    const proxy = await openProxy([({ url }, response) => void setTimeout(() => response.end(`<${url}>`), 50)])
    const first = 'GET /one HTTP/1.1\r\nHost: a\r\n\r\n'
    const second = `GET /two HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: ${to}\r\n\r\n`
    expect((await raw(proxy.port, first + second)).match(/<.*?>/g)).toEqual(['</one>', '</two>'])
  },
)

test('a client that resets a connection it wanted to be another one ends nothing else', async () => {
  const proxy = await openProxy([() => undefined])
  const socket = connect(proxy.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
  await vi.waitUntil(() => proxy.replicas[0]?.asked === 1)
  socket.resetAndDestroy()
  await vi.waitUntil(async () => (await proxy.metric('dexfeed_proxy_answers_total')).includes('outcome="left"} 1'))
})

test('a connection ends with its answer, whatever else comes on it', async () => {
  const proxy = await openProxy([plain])
  const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined).resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  // Towards one that was only half closed it could be written for ever.
  const writing = setInterval(() => socket.write('more'), 10)
  await closed
  clearInterval(writing)
})
