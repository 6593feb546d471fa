import { once } from 'node:events'
import { get } from 'node:http'
import { connect, createServer } from 'node:net'
import { closeAfter } from './close-after.ts'

// Each client has its own loopback address, of which 127.0.0.0/8 has many.

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

export function isServed(url: string, from: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(url, { localAddress: from, agent: false }, (response) => {
      response.resume()
      resolve(true)
    })
    asked.on('error', () => resolve(false))
  })
}

/**
 * From 32,768 on, Linux gives ports to connections and to servers on port 0, so another process could take one first.
 * `fetch` refuses port 10,080.
 */
const FIRST_PORT = 10_240
const PORTS = 20_000
/** Each test worker takes every 32nd port. The first is random, because another run may be under way. */
const SHARES = 32
const share = Number(process.env.VITEST_POOL_ID ?? process.pid) % SHARES
let next = Math.floor((Math.random() * PORTS) / SHARES) * SHARES + share

/** Returns a free loopback port. Tests that run at the same time get different ones. */
export async function freePort(): Promise<number> {
  const port = FIRST_PORT + (next % PORTS)
  next += SHARES
  return (await isFree(port)) ? port : freePort()
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}
