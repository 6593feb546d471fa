import type { RequestListener } from 'node:http'
import { arePlacesFree, fuzzHttp } from '@dexfeed/test-setup/fuzz-http'
import { hasHaproxy } from '@dexfeed/test-setup/haproxy'
import { expect, inject, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { openProxy } from './replicas.ts'

const SEED = inject('seed')
const CONNECTIONS = 80 * inject('scale')

const respond: RequestListener = (request, response) => {
  const { url } = request
  if (url === '/cut') return void response.write('half', () => response.destroy())
  if (url === '/late') return void setTimeout(() => response.end('late'), 20)
  if (url === '/long') return void response.end(Buffer.alloc(1 << 20, 'x'))
  if (url === '/parts') {
    for (let n = 0; n < 8; n++) response.write(Buffer.alloc(20_000, 'x'))
    return void response.end()
  }
  request.resume().once('end', () => response.end(`<${url}>`))
}

test.skipIf(!hasHaproxy())(
  `the proxy serves others and frees every connection, whatever clients send (seed ${SEED})`,
  async () => {
    const proxy = await openProxy([respond, respond])
    for (const { server } of proxy.replicas) {
      const accepting = new WebSocketServer({ noServer: true })
      server.on('upgrade', (request, socket, head) => {
        socket.on('error', () => undefined)
        if (request.url === '/cut') return void socket.destroy()
        accepting.handleUpgrade(request, socket, head, (stream) => {
          stream.on('error', () => undefined)
          stream.send('hello')
          if (request.url !== '/long') setTimeout(() => stream.terminate(), 5)
        })
      })
    }
    const target = { url: proxy.url, witness: '/witness' }
    const paths = ['/', '/cut', '/late', '/long', '/parts', '/v1/stream'] as const
    const faults = await fuzzHttp({ ...target, seed: SEED, connections: CONNECTIONS, paths })
    // HAProxy's refusal of a malformed HEAD request has a body, which would count as a fault.
    expect(faults.filter((fault) => !fault.includes('<h1>400 Bad request'))).toEqual([])
    await expect.poll(() => arePlacesFree(target, 112)).toBe(true)
    const open = async () => Number((await proxy.metric('haproxy_frontend_current_sessions'))[0]?.split(' ')[1])
    await expect.poll(open).toBeLessThan(8)
  },
)
