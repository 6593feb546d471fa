import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { closeAfter } from './close-after.ts'

// A client is an address of this machine, since 127.0.0.0/8 has many.

/** Opens `count` connections of a client that send no request. They end with the test. */
export async function openConnections(url: string, from: string, count: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: count }, () =>
    connect({ host: hostname, port: Number(port), localAddress: from }).on('error', () => undefined),
  )
  closeAfter(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
}

/** Returns whether one more connection of a client gets a response; otherwise it is closed without one. */
export function isServed(url: string, from: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(url, { localAddress: from, agent: false }, (response) => {
      response.resume()
      resolve(true)
    })
    asked.on('error', () => resolve(false))
  })
}

/** All ports returned so far. The system may return a closed one again, and HAProxy lets two listeners share a port. */
const returned = new Set<number>()

/** Returns a port of the loopback interface that no process uses, each port once. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  if (returned.has(port)) return freePort()
  returned.add(port)
  return port
}
