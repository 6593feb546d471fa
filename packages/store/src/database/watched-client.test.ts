import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { afterEach, expect, test, vi } from 'vitest'
import { WatchedClient } from './watched-client.ts'

/** The client checks 35 times before it gives up on a statement of this size; it arrives within 12 checks. */
const SIZE = 1_500_000
const TAKEN_LOOKS = 12
const AFTER_MS = 100
const LOOK_MS = AFTER_MS / 5

afterEach(() => {
  vi.useRealTimers()
})

/** A slow connection to the server that passes on only as much as the test allows, however much its buffers hold. */
async function slowProxy(target: string) {
  const url = new URL(target)
  const [port, host] = [Number(url.port), url.hostname]
  const proxy = { passed: 0, most: Number.POSITIVE_INFINITY, onMost: () => {}, resume: () => {} }
  const server = createServer((incoming) => {
    const outgoing = connect(port, host)
    proxy.resume = () => void incoming.resume()
    incoming.on('data', (sent) => {
      outgoing.write(sent)
      proxy.passed += sent.length
      if (proxy.passed < proxy.most) return
      incoming.pause()
      proxy.onMost()
    })
    outgoing.pipe(incoming)
    for (const socket of [incoming, outgoing]) {
      socket.on('error', () => undefined)
      socket.on('close', () => [incoming, outgoing].forEach((socket) => void socket.destroy()))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closeAfter(() => new Promise<void>((resolve) => server.close(() => resolve())))
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    hold() {
      proxy.most = proxy.passed
    },
    /** Resolves once this many further bytes have been passed on; any excess counts toward the next call. */
    async passOn(bytes: number) {
      proxy.most += bytes
      if (proxy.passed >= proxy.most) return
      await new Promise<void>((resolve) => {
        proxy.onMost = resolve
        proxy.resume()
      })
    },
    release() {
      proxy.most = Number.POSITIVE_INFINITY
      proxy.resume()
    },
  }
}

async function connected(connectionString: string): Promise<{ client: WatchedClient; checks: () => number }> {
  let checks = 0
  const isWorking = async () => {
    checks++
    return false
  }
  const client = new WatchedClient({ connectionString, silence: { afterMs: AFTER_MS, isWorking } })
  client.on('error', () => undefined)
  await client.connect()
  await client.readBackend()
  return { client, checks: () => checks }
}

// Until a statement is complete, the server waits for the client, so it would report that it is not working.
test('a large statement has the time to arrive over a slow connection', async () => {
  const proxy = await slowProxy(await testDatabase())
  const { client, checks } = await connected(proxy.url)
  closeAfter(() => client.end())
  proxy.hold()
  // The test measures time in checks.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const result = client.query('SELECT length($1) AS size', ['x'.repeat(SIZE)])
  for (let look = 0; look < TAKEN_LOOKS; look++) {
    await proxy.passOn(SIZE / TAKEN_LOOKS)
    vi.advanceTimersByTime(LOOK_MS)
  }
  proxy.release()
  expect((await result).rows).toEqual([{ size: SIZE }])
  expect(checks()).toBe(0)
})

test('a connection that has ended is not watched, whatever it is sent', async () => {
  const { client } = await connected(await testDatabase())
  await client.end()
  vi.useFakeTimers()
  await expect(client.query('ROLLBACK')).rejects.toThrow()
  expect(vi.getTimerCount()).toBe(0)
})
