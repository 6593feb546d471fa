import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { createServer, listenOn, urlOf } from './http-server.ts'
import { MAX_REFUSED, onUpgrades } from './upgrades.ts'

const REQUEST = ['GET /livez HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: x', '', ''].join('\r\n')

it('a connection that keeps requesting another protocol gains no listeners, and ends', async () => {
  const listeners: number[] = []
  const app: RequestListener = ({ socket }, response) => {
    listeners.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0))
    response.end('well')
  }
  const server = createServer(app)
  onUpgrades(
    server,
    () => false,
    () => undefined,
  )
  await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  const socket: Socket = connect(Number(new URL(urlOf(server)).port), '127.0.0.1')
  await once(socket, 'connect')
  for (let n = 0; n <= MAX_REFUSED; n++) socket.write(REQUEST)
  const responses = (await text(socket)).split('HTTP/1.1 200 OK').slice(1)
  expect(responses).toHaveLength(MAX_REFUSED)
  expect(responses.map((response) => /^Connection: close/m.test(response)).indexOf(true)).toBe(MAX_REFUSED - 1)
  expect(Math.max(...listeners)).toBe(listeners[0])
})
