import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { hexNumber, seedNetwork } from '@dexfeed/test-setup/seed'
import { expect, it } from 'vitest'
import { type ApiFixture, type FixtureOptions, NOON, openFixture } from '../api-fixture.ts'
import { listenBySocket } from './listener.ts'

const PLACES = 3
const HANDSHAKE = [
  'GET /v1/stream HTTP/1.1',
  ...['Host: x', 'Connection: Upgrade', 'Upgrade: websocket'],
  ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
].join('\r\n')

const open = (options: FixtureOptions = {}) =>
  openFixture({
    listenerLimits: { total: PLACES, perClient: PLACES },
    async fill(owner) {
      const start = { number: 1, time: NOON - 99 }
      await seedNetwork(owner, { network: 'bsc', wrapped: hexNumber(0xa), start, head: { number: 100, time: NOON } })
    },
    ...options,
  })

/** Sends a text, then closes its side of the connection. */
function sendAndLeave(url: string, text: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume().end(text)
  return socket
}

async function expectPlacesFree({ api, registry }: ApiFixture): Promise<void> {
  const listeners = async () => (await registry.getSingleMetric('dexfeed_api_listeners')?.get())?.values[0]?.value
  await expect.poll(listeners).toBe(0)
  const served = await Promise.all(Array.from({ length: PLACES }, () => listenBySocket(api.url)))
  for (const testListener of served)
    await expect.poll(() => testListener.received.map(({ event }) => event)).toEqual(['head'])
  for (const testListener of served) testListener.close()
  await expect.poll(listeners).toBe(0)
}

it('a client that leaves while the stream begins keeps no place', async () => {
  let begin: () => void = () => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const world = await open({
    wrapReader: (reader) => ({
      ...reader,
      async edge(...args) {
        await begun
        return reader.edge(...args)
      },
    }),
  })
  const { url } = world.api
  const sockets = Array.from({ length: PLACES }, () => sendAndLeave(url, HANDSHAKE))
  const gone = sockets.map((socket) => once(socket, 'close'))
  // Refused: the places are taken, and the API has noticed all earlier clients.
  await expect.poll(() => listenBySocket(url).then(String, String)).toMatch('503')
  sockets[0]?.resetAndDestroy()
  begin()
  await Promise.all(gone)
  await expectPlacesFree(world)
})

it("a client that leaves before its handshake's turn keeps no place", async () => {
  const world = await open()
  const before = ['GET /v1/networks HTTP/1.1', 'Host: x', '', ''].join('\r\n')
  for (let n = 0; n <= 2 * PLACES; n++) await once(sendAndLeave(world.api.url, before + HANDSHAKE), 'close')
  await expectPlacesFree(world)
})
