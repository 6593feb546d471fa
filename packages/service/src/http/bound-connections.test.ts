import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientNetwork } from './bound-connections.ts'
import { createServer } from './http-server.ts'
import { onUpgrades } from './upgrades.ts'

const GREEDY = '127.0.0.2'
const OTHER = '127.0.0.3'

/** A server with four connections, and what opens one more from an address and says whether it is answered there. */
async function openServer(
  isProxy = (_address: string) => false,
  app: RequestListener = (_request, response) => void response.end('well'),
) {
  const server = createServer(app, {}, { maxConnections: 4, isProxy })
  onUpgrades(
    server,
    () => false,
    () => undefined,
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const open = (localAddress: string) => connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined)
  return { open, isAnswered: async (from: string) => isAnswered(open(from)) }
}

/** Asks and keeps the connection, as health checks do; false: it is closed without an answer. */
async function isAnswered(socket: Socket, further = ''): Promise<boolean> {
  socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\n${further}\r\n`)
  const first = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)])
  return first !== null && String(first[0]).startsWith('HTTP/1.1 200 ')
}

describe('a client that keeps connections open', () => {
  it('leaves some to others', async () => {
    const { open, isAnswered: asks } = await openServer()
    const first = open(GREEDY)
    expect([await isAnswered(first), await asks(GREEDY), await asks(GREEDY)]).toEqual([true, true, true])
    expect(await asks(GREEDY)).toBe(false)
    expect(await asks(OTHER)).toBe(true)
    // One that it ends may be opened again.
    first.destroy()
    await expect.poll(() => asks(GREEDY)).toBe(true)
  })

  it('has all of them as a trusted proxy, which stands for many', async () => {
    const { isAnswered: asks } = await openServer((address) => address === GREEDY)
    for (let n = 0; n < 4; n++) expect(await asks(GREEDY)).toBe(true)
  })

  it('loses one on which nothing is answered when all are taken, so that any other client is served', async () => {
    const { open, isAnswered: asks } = await openServer()
    const [idle, second, third] = [open(GREEDY), open(GREEDY), open(GREEDY)]
    for (const socket of [idle, second, third]) await once(socket, 'connect')
    second.write('GET /never')
    const isClosed = once(idle.resume(), 'close')
    // The last place; the client with fewer keeps what it has.
    const other = open(OTHER)
    expect(await isAnswered(other)).toBe(true)
    await isClosed
    for (const from of ['127.0.0.4', '127.0.0.5']) expect(await asks(from)).toBe(true)
    expect(await isAnswered(other)).toBe(true)
  })

  it('keeps those on which an answer is under way', async () => {
    const answers: (() => void)[] = []
    const { open, isAnswered: asks } = await openServer(undefined, (_request, response) => {
      answers.push(() => response.end('well'))
      if (answers.length > 3) response.end('well')
    })
    const busy = [open(GREEDY), open(GREEDY), open(GREEDY)]
    const served = busy.map((socket) => isAnswered(socket))
    await expect.poll(() => answers.length).toBe(3)
    expect(await asks(OTHER)).toBe(true)
    for (const answer of answers) answer()
    expect(await Promise.all(served)).toEqual([true, true, true])
  })

  it('is counted once for each, also where it asks for another protocol', async () => {
    const { open, isAnswered: asks } = await openServer()
    const socket = open(GREEDY)
    const upgrade = 'Connection: Upgrade\r\nUpgrade: x\r\n'
    for (let n = 0; n < 5; n++) expect(await isAnswered(socket, upgrade)).toBe(true)
    expect([await asks(GREEDY), await asks(GREEDY), await asks(GREEDY)]).toEqual([true, true, false])
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
