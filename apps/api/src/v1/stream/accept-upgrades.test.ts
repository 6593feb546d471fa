import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { createServer, listenOn, urlOf } from '@dexfeed/service'
import { closeAfter } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { acceptUpgrades, MOST_REFUSED } from './accept-upgrades.ts'

const REQUEST = ['GET /livez HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: x', '', ''].join('\r\n')

it('a connection that asks for another protocol again and again has no more listeners for it, and an end', async () => {
  const listeners: number[] = []
  const app: Parameters<typeof acceptUpgrades>[1] = ({ socket }, response) => {
    listeners.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0))
    response.end('well')
  }
  const server = createServer(app)
  acceptUpgrades(server, app)
  await listenOn(server, '127.0.0.1', 0)
  closeAfter(async () => void server.close())
  const socket: Socket = connect(Number(new URL(urlOf(server)).port), '127.0.0.1')
  await once(socket, 'connect')
  for (let n = 0; n <= MOST_REFUSED; n++) socket.write(REQUEST)
  const answers = (await text(socket)).split('HTTP/1.1 200 OK').slice(1)
  expect(answers).toHaveLength(MOST_REFUSED)
  expect(answers.map((answer) => /^Connection: close/m.test(answer)).indexOf(true)).toBe(MOST_REFUSED - 1)
  expect(Math.max(...listeners)).toBe(listeners[0])
})
