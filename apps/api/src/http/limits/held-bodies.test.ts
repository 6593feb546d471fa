import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { listen } from '@dexfeed/test-setup/listen'
import express from 'express'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failureHandler } from '../http-failure.ts'
import { heldBodies } from './held-bodies.ts'

const MIB = 1024 * 1024
// More than the kernel takes of a reader that takes nothing.
const BODY = Buffer.alloc(32 * MIB, 'x')

/** A server of a large body, held in `parts` parts. Two bodies fit into a client's quota, three into all quotas. */
async function openServer(parts = 1) {
  const hold = heldBodies({ perClient: 40 * MIB, total: 80 * MIB })
  // A tag is a hash of the whole body.
  const app = express().disable('etag')
  app.get('/', (request, response) => {
    const listeners = response.listenerCount('close')
    for (let n = 0; n < parts; n++) hold(request, response, BODY.length / parts)
    response.set('X-Listeners', String(response.listenerCount('close') - listeners)).send(BODY)
  })
  app.get('/small', (request, response) => {
    hold(request, response, 1_000)
    response.send('x'.repeat(1_000))
  })
  app.get('/half', (request, response) => {
    hold(request, response, BODY.length / 2)
    response.send(BODY.subarray(BODY.length / 2))
  })
  app.get('/slow', (request, response) => {
    hold(request, response, BODY.length)
    app.once('answer', () => response.send(BODY))
  })
  app.use(failureHandler)
  const port = await listen(app)
  /** Sends a request and reads only the head of the response. */
  const ask = async (localAddress: string, path = '/'): Promise<{ status: number; socket: Socket; head: string }> => {
    const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const [head] = await once(socket, 'data')
    socket.pause()
    return { status: Number(String(head).split(' ')[1]), socket, head: String(head) }
  }
  return Object.assign(ask, { answerSlow: () => app.emit('answer') })
}

/** A clock that the test moves. */
function standingClock() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return (seconds: number) => void vi.advanceTimersByTime(1_000 * seconds)
}

const isCut = ({ socket, head }: { socket: Socket; head: string }) =>
  new Promise<boolean>((resolve) => {
    const length = Number(/Content-Length: (\d+)/.exec(head)?.[1])
    socket.resume().once('close', () => resolve(socket.bytesRead < length))
  })

test('unread responses of a client leave other clients theirs, and count until it disconnects', async () => {
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

test('a response that was read counts no longer', async () => {
  const ask = await openServer()
  for (let n = 0; n < 4; n++) {
    const { status, socket } = await ask('127.0.0.2')
    expect(status).toBe(200)
    socket.resume()
    await once(socket, 'close')
  }
})

test('a response of many parts counts as one, and has one listener', async () => {
  const ask = await openServer(32)
  const first = await ask('127.0.0.2')
  expect(first.head).toContain('X-Listeners: 1\r\n')
  expect([(await ask('127.0.0.2')).status, (await ask('127.0.0.2')).status]).toEqual([503, 503])
  first.socket.destroy()
  await expect.poll(async () => (await ask('127.0.0.2')).status).toBe(200)
})

test('when no room is left, small responses pass, and the largest stalled one is cut for large ones', async () => {
  const pass = standingClock()
  const ask = await openServer()
  const [greedy, second, third] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
  const first = await ask(greedy, '/half')
  pass(1)
  const largest = await ask(greedy)
  pass(1)
  const last = await ask(second)
  expect((await ask(third)).status).toBe(503)
  for (const client of [greedy, third]) expect((await ask(client, '/small')).status).toBe(200)
  pass(4)
  const large = await ask(third)
  expect(large.status).toBe(200)
  expect(await isCut(largest)).toBe(true)
  // One gave way, and no more than that.
  expect((await ask(third, '/small')).status).toBe(200)
  expect([await isCut(first), await isCut(last), await isCut(large)]).toEqual([false, false, false])
})

test('for a client that holds its quota only its own responses are cut', async () => {
  const pass = standingClock()
  const ask = await openServer()
  const [greedy, other] = ['127.0.0.2', '127.0.0.3']
  const older = await ask(other)
  pass(1)
  const own = [await ask(greedy), await ask(greedy)] as const
  expect((await ask(greedy)).status).toBe(503)
  pass(5)
  expect((await ask(greedy)).status).toBe(200)
  expect(await isCut(own[0])).toBe(true)
  expect(await isCut(older)).toBe(false)
})

test('a response that is being read, or not sent yet, is not stalled', async () => {
  const pass = standingClock()
  const ask = await openServer()
  const unsent = ask('127.0.0.2', '/slow')
  const reading = [await ask('127.0.0.3'), await ask('127.0.0.4')]
  for (let n = 0; n < 3; n++) {
    // They take some, and stop again.
    for (const { socket } of reading) {
      const from = socket.bytesRead
      socket.resume()
      await vi.waitUntil(() => socket.bytesRead > from + 2 * MIB, { interval: 1, timeout: 30_000 })
      socket.pause()
    }
    // The system has taken more of it by then.
    await new Promise((resolve) => setTimeout(resolve, 20))
    pass(3)
  }
  expect((await ask('127.0.0.5')).status).toBe(503)
  ask.answerSlow()
  expect((await unsent).status).toBe(200)
})
