import { once } from 'node:events'
import { createServer, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listen } from '@dexfeed/test-setup/listen'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { openSocket } from './connections.ts'

/** Returns a client of a WebSocket, and the server's side of it. */
async function connected(autoPong: boolean) {
  const server = createServer()
  const opened = new Promise<Awaited<ReturnType<typeof openSocket>>>((resolve, reject) => {
    server.on('upgrade', (request, duplex, head) => {
      const socket = duplex as Socket
      const response = new ServerResponse(request)
      response.assignSocket(socket)
      openSocket(request, response, { socket, head }).then(resolve, reject)
    })
  })
  const client = new WebSocket(`ws://127.0.0.1:${await listen(() => undefined, server)}`, { autoPong })
  onTestFinished(() => client.terminate())
  const [{ connection }] = await Promise.all([opened, once(client, 'open')])
  return { client, connection }
}

/** Sends a ping, and returns what the client notices. */
async function noticed({ client, connection }: Awaited<ReturnType<typeof connected>>): Promise<'ping' | 'close'> {
  const either = (['ping', 'close'] as const).map((event) => once(client, event).then(() => event))
  connection.beat()
  return Promise.race(either)
}

test('a client that does not answer a ping is cut off at the next one', async () => {
  const silent = await connected(false)
  expect(await noticed(silent)).toBe('ping')
  expect(await noticed(silent)).toBe('close')
})

test('a client that answers each ping stays', async () => {
  const there = await connected(true)
  for (let beat = 0; beat < 3; beat++) {
    expect(await noticed(there)).toBe('ping')
    // The server has read the answer once it responds to what was sent after it.
    const answered = once(there.client, 'pong')
    there.client.ping()
    await answered
  }
})
