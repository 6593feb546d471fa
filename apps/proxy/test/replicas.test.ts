import type { RequestListener } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { openProxy, type ProxyFixture } from './proxy-fixture.ts'

const whoever: RequestListener = (request, response) => void response.end(request.socket.localAddress)

async function askedOf(proxy: ProxyFixture, requests: number, path = '/'): Promise<Set<string>> {
  const answers = Array.from({ length: requests }, async () => (await fetch(proxy.url + path)).text())
  return new Set(await Promise.all(answers))
}

describe('requests', () => {
  test('are spread over all that are ready', async () => {
    const proxy = await openProxy([whoever, whoever, whoever])
    expect(await askedOf(proxy, 60)).toEqual(new Set(['127.0.0.2', '127.0.0.3', '127.0.0.4']))
  })

  test('for a whole list go to one replica for one client', async () => {
    const proxy = await openProxy([whoever, whoever, whoever])
    expect((await askedOf(proxy, 12, '/api/swaps_24h')).size).toBe(1)
  })

  test('go to none that is not ready, unless none is', async () => {
    const proxy = await openProxy([whoever, whoever])
    const [one, other] = proxy.replicas
    if (one) one.ready = false
    await proxy.sees('ready', 1)
    expect(await askedOf(proxy, 20)).toEqual(new Set(['127.0.0.3']))
    if (other) other.ready = false
    await proxy.sees('answering', 2)
    expect(await askedOf(proxy, 40)).toEqual(new Set(['127.0.0.2', '127.0.0.3']))
  })

  test('go to replicas that come, and no longer to one that the name does not stand for', async () => {
    const slow: RequestListener = (request, response) => {
      if (request.url === '/slow') setTimeout(() => whoever(request, response), 200)
      else whoever(request, response)
    }
    const proxy = await openProxy([slow, whoever])
    const [, second] = proxy.names.splice(1)
    expect(second).toBeUndefined()
    await proxy.sees('ready', 1)
    expect(await askedOf(proxy, 10)).toEqual(new Set(['127.0.0.2']))
    const open = fetch(`${proxy.url}/slow`)
    await vi.waitUntil(() => proxy.replicas[0]?.asked === 11)
    proxy.names.splice(0, 1, '127.0.0.3')
    await vi.waitUntil(async () => (await (await fetch(proxy.url)).text()) === '127.0.0.3')
    // What it was asked before it still answers.
    expect(await (await open).text()).toBe('127.0.0.2')
  })
})

describe('a replica that is gone', () => {
  test('before it began to answer loses no GET, and no POST is asked twice', async () => {
    const dies: RequestListener = (request) => void request.socket.resetAndDestroy()
    const proxy = await openProxy([dies, whoever])
    expect(await askedOf(proxy, 30)).toEqual(new Set(['127.0.0.3']))
    expect(proxy.replicas[0]?.asked).toBeGreaterThan(0)
    expect(await proxy.metric('dexfeed_proxy_retries_total')).toMatch(/total [1-9]/)
    const dead = await openProxy([dies])
    const posted = await fetch(`${dead.url}/v1/batch`, { method: 'POST', body: '{}' })
    expect([posted.status, await posted.json()]).toEqual([
      503,
      { error: 'the API does not answer now', code: 'unavailable' },
    ])
    expect(dead.replicas[0]?.asked).toBe(1)
  })

  test('under load loses no GET', async () => {
    const proxy = await openProxy([whoever, whoever, whoever])
    let failed = 0
    let answered = 0
    let over = false
    const clients = Array.from({ length: 20 }, async () => {
      while (!over) {
        const response = await fetch(proxy.url).catch(() => null)
        if (response === null || response.status !== 200 || (await response.text()) === '') failed++
        else answered++
      }
    })
    await vi.waitUntil(() => answered > 300, 20_000)
    await proxy.replicas[1]?.kill()
    const then = answered
    await vi.waitUntil(() => answered > then + 300, 20_000)
    over = true
    await Promise.all(clients)
    expect(failed).toBe(0)
  }, 60_000)

  test('with a request that it never answers leaves it to another', async () => {
    const hangs: RequestListener = () => undefined
    const proxy = await openProxy([hangs, whoever])
    const [one] = proxy.replicas
    proxy.names.pop()
    await proxy.sees('ready', 1)
    const open = fetch(proxy.url)
    await vi.waitUntil(() => one?.asked === 1)
    proxy.names.push('127.0.0.3')
    await proxy.sees('ready', 2)
    // It takes connections, and says nothing.
    one?.server.removeAllListeners('request').on('request', hangs)
    expect(await (await open).text()).toBe('127.0.0.3')
  }, 30_000)

  test('and is the last leaves the proxy alive, which says so itself', async () => {
    const proxy = await openProxy([whoever])
    await proxy.replicas[0]?.kill()
    const { status, headers } = await fetch(`${proxy.url}/livez`)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  test('and is the last leaves 503 with Retry-After, until one is there again', async () => {
    const proxy = await openProxy([whoever])
    await proxy.replicas[0]?.kill()
    const response = await fetch(`${proxy.url}/api/quote`)
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      503,
      '1',
      { error: 'the API does not answer now' },
    ])
    await proxy.replicas[0]?.start()
    expect(await (await fetch(proxy.url)).text()).toBe('127.0.0.2')
  })
})
