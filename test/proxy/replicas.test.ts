import { once } from 'node:events'
import { get, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { type Haproxy, hasHaproxy } from '@dexfeed/test-setup/haproxy'
import { describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { openProxy } from './replicas.ts'

const name: RequestListener = (request, response) => void response.end(request.socket.localAddress)

/** Sends one request from each client: 127.0.1.1, 127.0.1.2, ... */
async function requestsOf(proxy: Haproxy, clients: number, path = '/'): Promise<string[]> {
  const texts = Array.from({ length: clients }, async (_, at) => {
    const request = get(`${proxy.url}${path}`, { localAddress: `127.0.1.${at + 1}`, agent: false })
    const [response] = await once(request, 'response')
    return `${response.statusCode} ${(await response.setEncoding('utf8').toArray()).join('')}`
  })
  return Promise.all(texts)
}

const UNAVAILABLE = '503 {"error":"the API is not available; retry in a second"}'

describe.skipIf(!hasHaproxy())('requests', () => {
  test('of many clients go to all replicas that are ready, those of one client to one', async () => {
    const proxy = await openProxy([name, name, name])
    const replies = await requestsOf(proxy, 90)
    const counts = ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map(
      (ip) => replies.filter((text) => text === `200 ${ip}`).length,
    )
    expect(Math.min(...counts)).toBeGreaterThan(9)
    for (const path of ['/', '/api/swaps_24h', '/v1/pools?limit=1'])
      expect(await requestsOf(proxy, 90, path)).toEqual(replies)
  })

  test('move only from the replica that goes, and to the one that comes', async () => {
    const proxy = await openProxy([name, name, name])
    const before = await requestsOf(proxy, 60)
    const [gone] = proxy.addresses.splice(1, 1)
    await proxy.sees(2)
    const between = await requestsOf(proxy, 60)
    expect(between).not.toContain(`200 ${gone}`)
    for (const [at, reply] of between.entries()) if (before[at] !== `200 ${gone}`) expect(reply).toBe(before[at])
    proxy.addresses.push(gone ?? '')
    await proxy.sees(3)
    expect(await requestsOf(proxy, 60)).toEqual(before)
  })

  test('go only to ready replicas, or to all that are alive if none is ready', async () => {
    const proxy = await openProxy([name, name])
    const [one, other] = proxy.replicas
    if (one) one.isReady = false
    await proxy.sees(1)
    expect(new Set(await requestsOf(proxy, 20))).toEqual(new Set(['200 127.0.0.3']))
    if (other) other.isReady = false
    await proxy.sees(0)
    expect(new Set(await requestsOf(proxy, 20))).toEqual(new Set(['200 127.0.0.2', '200 127.0.0.3']))
  })

  test('keep their replica when the DNS server finds the name no longer', async () => {
    const proxy = await openProxy([name])
    proxy.addresses.splice(0)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(await requestsOf(proxy, 1)).toEqual(['200 127.0.0.2'])
  })
})

describe.skipIf(!hasHaproxy())('a replica', () => {
  test('that leaves the DNS name finishes the requests it has', async () => {
    let finish = () => {}
    const slow: RequestListener = (_request, response) => {
      finish = () => response.end('whole')
    }
    const proxy = await openProxy([slow, name])
    if (proxy.replicas[1]) proxy.replicas[1].isReady = false
    await proxy.sees(1)
    const open = requestsOf(proxy, 1)
    await expect.poll(() => proxy.replicas[0]?.requests).toBe(1)
    if (proxy.replicas[1]) proxy.replicas[1].isReady = true
    proxy.addresses.shift()
    await proxy.sees(1, 'alive')
    finish()
    expect(await open).toEqual(['200 whole'])
  })

  test('that refuses connections loses no request, whatever its method', async () => {
    const proxy = await openProxy([name, name, name])
    await proxy.replicas[1]?.kill()
    // Most of these requests come before the health check notices.
    const posts = Array.from({ length: 30 }, () => fetch(proxy.url, { method: 'POST', body: '{}' }))
    expect(new Set(await requestsOf(proxy, 60))).toEqual(new Set(['200 127.0.0.2', '200 127.0.0.4']))
    expect(new Set((await Promise.all(posts)).map(({ status }) => status))).toEqual(new Set([200]))
    await proxy.sees(2)
  })

  test.each(['GET', 'POST'])(
    'that dies while it works on a %s ends it with 503, and no other gets it',
    async (method) => {
      const dies: RequestListener = (request) => void request.socket.resetAndDestroy()
      const proxy = await openProxy([dies, dies])
      const response = await fetch(`${proxy.url}/v1/batch`, { method, ...(method === 'POST' && { body: '{}' }) })
      expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
        503,
        '1',
        { error: 'the API is not available; retry in a second', code: 'unavailable' },
      ])
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(proxy.replicas.map(({ requests }) => requests).toSorted()).toEqual([0, 1])
    },
  )

  test('that dies in a response cuts it, so that it does not look complete', async () => {
    const proxy = await openProxy([
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': '1000' }).write('half')
        setTimeout(() => response.destroy(), 50)
      },
    ])
    await expect((await fetch(proxy.url)).text()).rejects.toThrow('terminated')
  })

  test('that refuses connections loses no WebSocket', async () => {
    const proxy = await openProxy([name, name])
    for (const { server } of proxy.replicas) {
      const accepting = new WebSocketServer({ noServer: true })
      server.on('upgrade', (request, socket, head) => {
        accepting.handleUpgrade(request, socket, head, (stream) => stream.close())
      })
    }
    await proxy.replicas[0]?.kill()
    for (let n = 1; n < 10; n++) {
      const client = new WebSocket(proxy.url.replace('http', 'ws'), { localAddress: `127.0.1.${n}` })
      await once(client, 'open')
      await once(client, 'close')
    }
  })

  test('that is the last and dies leaves 503 until one starts; the proxy itself stays alive', async () => {
    const proxy = await openProxy([name])
    await proxy.replicas[0]?.kill()
    await proxy.sees(0)
    expect(await requestsOf(proxy, 1)).toEqual([UNAVAILABLE])
    const alive = await fetch(`${proxy.url}/livez`)
    expect([alive.status, alive.headers.get('cache-control'), await alive.text()]).toEqual([
      200,
      'no-store',
      '{"status":"ok"}',
    ])
    await proxy.replicas[0]?.start()
    await proxy.sees(1)
    expect(await requestsOf(proxy, 1)).toEqual(['200 127.0.0.2'])
  })
})

test.skipIf(!hasHaproxy())('when the proxy stops, open requests end and new ones are refused', async () => {
  let finish = () => {}
  const late: RequestListener = (_request, response) => {
    finish = () => response.end('whole')
  }
  const proxy = await openProxy([late])
  const open = requestsOf(proxy, 1)
  await expect.poll(() => proxy.replicas[0]?.requests).toBe(1)
  const stopped = proxy.stop()
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(proxy.port, '127.0.0.1', () => resolve(false)).on('error', () => resolve(true))
      socket.once('connect', () => socket.destroy())
    })
  await expect.poll(isRefused).toBe(true)
  finish()
  expect(await open).toEqual(['200 whole'])
  await stopped
})
