import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { failureHandler } from '../failure-handler.ts'
import { heldBodies } from './held-bodies.ts'

const MIB = 1024 * 1024
// More than the kernel takes of a reader that takes nothing.
const BODY = 'x'.repeat(32 * MIB)

/** Answers with a large body, held in so many parts; two fit a client's share, three all shares. */
async function openServer(parts = 1) {
  const hold = heldBodies({ perClient: 40 * MIB, total: 80 * MIB })
  const app = express()
  app.get('/', (request, response) => {
    const listeners = response.listenerCount('close')
    for (let n = 0; n < parts; n++) hold(request, response, BODY.length / parts)
    response.set('X-Listeners', String(response.listenerCount('close') - listeners)).send(BODY)
  })
  app.use(failureHandler)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  /** Asks, reads the head of the answer, and nothing more. */
  return async (localAddress: string): Promise<{ status: number; socket: Socket; head: string }> => {
    const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const [head] = await once(socket, 'data')
    socket.pause()
    return { status: Number(String(head).split(' ')[1]), socket, head: String(head) }
  }
}

test('answers that a client does not take leave others theirs, and count until it has gone', async () => {
  const ask = await openServer()
  const [greedy, other, third] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
  const first = await ask(greedy)
  expect([first.status, (await ask(greedy)).status, (await ask(greedy)).status]).toEqual([200, 200, 503])
  expect((await ask(other)).status).toBe(200)
  // All together hold what they may.
  expect((await ask(third)).status).toBe(503)
  first.socket.destroy()
  await expect.poll(async () => (await ask(third)).status).toBe(200)
})

test('an answer that is read counts no longer', async () => {
  const ask = await openServer()
  for (let n = 0; n < 4; n++) {
    const { status, socket } = await ask('127.0.0.2')
    expect(status).toBe(200)
    socket.resume()
    await once(socket, 'close')
  }
})

test('an answer of many parts counts as one, and is listened to once', async () => {
  const ask = await openServer(32)
  const first = await ask('127.0.0.2')
  expect(first.head).toContain('X-Listeners: 1\r\n')
  expect([(await ask('127.0.0.2')).status, (await ask('127.0.0.2')).status]).toEqual([503, 503])
  first.socket.destroy()
  await expect.poll(async () => (await ask('127.0.0.2')).status).toBe(200)
})
