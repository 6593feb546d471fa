import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listen } from '../../test/listen.ts'
import { clientNetwork } from './bound-connections.ts'
import { createServer } from './http-server.ts'

const GREEDY = '127.0.0.2'
const OTHER = '127.0.0.3'

/** A server with four connections. `isNewServed` reports whether it responds on a new one from an address. */
async function openServer(
  isProxy = (_address: string) => false,
  app: RequestListener = (_request, response) => void response.end('well'),
) {
  const server = createServer(app, {}, { maxConnections: 4, isProxy })
  const port = await listen(server)
  const open = (localAddress: string) => connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined)
  return { open, isNewServed: async (from: string) => isServed(open(from)) }
}

/** Sends a request and keeps the connection open. Returns false if it is closed without a response. */
async function isServed(socket: Socket, further = ''): Promise<boolean> {
  socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\n${further}\r\n`)
  const first = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)])
  return first !== null && String(first[0]).startsWith('HTTP/1.1 200 ')
}

describe('a client that keeps connections open', () => {
  it('leaves some to others', async () => {
    const { open, isNewServed } = await openServer()
    const first = open(GREEDY)
    expect([await isServed(first), await isNewServed(GREEDY), await isNewServed(GREEDY)]).toEqual([true, true, true])
    expect(await isNewServed(GREEDY)).toBe(false)
    expect(await isNewServed(OTHER)).toBe(true)
    // A closed connection may be replaced.
    first.destroy()
    await expect.poll(() => isNewServed(GREEDY)).toBe(true)
  })

  it('has all of them as a trusted proxy, which serves many', async () => {
    const { isNewServed } = await openServer((address) => address === GREEDY)
    for (let n = 0; n < 4; n++) expect(await isNewServed(GREEDY)).toBe(true)
  })

  it('loses one without a response under way when all are taken, so that any other client is served', async () => {
    const { open, isNewServed } = await openServer()
    const [idle, second, third] = [open(GREEDY), open(GREEDY), open(GREEDY)]
    for (const socket of [idle, second, third]) await once(socket, 'connect')
    second.write('GET /never')
    const isClosed = once(idle.resume(), 'close')
    // This takes the last free connection. The client with fewer connections keeps them.
    const other = open(OTHER)
    expect(await isServed(other)).toBe(true)
    await isClosed
    for (const from of ['127.0.0.4', '127.0.0.5']) expect(await isNewServed(from)).toBe(true)
    expect(await isServed(other)).toBe(true)
  })

  it('keeps those with a response under way', async () => {
    const endings: (() => void)[] = []
    const { open, isNewServed } = await openServer(undefined, (_request, response) => {
      endings.push(() => response.end('well'))
      if (endings.length > 3) response.end('well')
    })
    const busy = [open(GREEDY), open(GREEDY), open(GREEDY)]
    const served = busy.map((socket) => isServed(socket))
    await expect.poll(() => endings.length).toBe(3)
    expect(await isNewServed(OTHER)).toBe(true)
    for (const end of endings) end()
    expect(await Promise.all(served)).toEqual([true, true, true])
  })

  it('is counted once for each, even if it requests another protocol', async () => {
    const { open, isNewServed } = await openServer()
    const socket = open(GREEDY)
    const upgrade = 'Connection: Upgrade\r\nUpgrade: x\r\n'
    for (let n = 0; n < 5; n++) expect(await isServed(socket, upgrade)).toBe(true)
    const served = [await isNewServed(GREEDY), await isNewServed(GREEDY), await isNewServed(GREEDY)]
    expect(served).toEqual([true, true, false])
  })
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2ff:3:4:5:6', '2001:db8:1:02'],
  ['2001:db8:1:200::', '2001:db8:1:02'],
  ['2001:db8:1:ff::6', '2001:db8:1:00'],
  ['2001:db8::6', '2001:db8:0:00'],
  ['::1', '0:0:0:00'],
  ['fe80::1%eth0', 'fe80:0:0:00'],
])('%s is of the client %s', (address, client) => {
  expect(clientNetwork(address)).toBe(client)
})
