import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { afterEach, expect, test, vi } from 'vitest'
import { WatchedClient } from './watched-client.ts'

/** A statement under way of so many bytes has 35 looks; at this rate it takes the time of 12. */
const SIZE = 1_500_000
const BYTES_A_MS = 6_250
const AFTER_MS = 100

afterEach(() => {
  vi.useRealTimers()
})

/** A way to the server that passes on what is sent at that rate, whatever its own buffers took. */
async function slowWay(target: string): Promise<string> {
  const url = new URL(target)
  const [port, host] = [Number(url.port), url.hostname]
  const server = createServer((incoming) => {
    const outgoing = connect(port, host)
    incoming.on('data', (sent) => {
      outgoing.write(sent)
      incoming.pause()
      setTimeout(() => incoming.resume(), sent.length / BYTES_A_MS)
    })
    outgoing.pipe(incoming)
    for (const socket of [incoming, outgoing]) {
      socket.on('error', () => undefined)
      socket.on('close', () => [incoming, outgoing].forEach((one) => void one.destroy()))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closeAfter(() => new Promise<void>((resolve) => server.close(() => resolve())))
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return url.href
}

async function connected(connectionString: string): Promise<{ client: WatchedClient; asked: () => number }> {
  let asked = 0
  const isWorking = async () => {
    asked++
    return false
  }
  const client = new WatchedClient({ connectionString, silence: { afterMs: AFTER_MS, isWorking } })
  client.on('error', () => undefined)
  await client.connect()
  await client.askBackend()
  return { client, asked: () => asked }
}

// Until a statement is whole the server waits for us: asked, it would say that it does not work at it.
test('a large statement has the time to arrive over a slow way', async () => {
  const { client, asked } = await connected(await slowWay(await testDatabase()))
  closeAfter(() => client.end())
  const { rows } = await client.query('SELECT length($1) AS size', ['x'.repeat(SIZE)])
  expect(rows).toEqual([{ size: SIZE }])
  expect(asked()).toBe(0)
})

test('nobody looks at a connection that has ended, whatever it is given', async () => {
  const { client } = await connected(await testDatabase())
  await client.end()
  vi.useFakeTimers()
  await expect(client.query('ROLLBACK')).rejects.toThrow()
  expect(vi.getTimerCount()).toBe(0)
})
