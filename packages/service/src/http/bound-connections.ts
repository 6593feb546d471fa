import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The part of a server's connections that one client has at most. */
const SHARE = 0.75

/**
 * Leaves connections of a server to others, whoever holds so many: what a client opens beyond its part of
 * `maxConnections` is closed at once. An IPv6 network of 56 bits is one client.
 *
 * @param isProxy whether an address is that of a proxy, which stands for many clients and is not bounded
 */
export function boundConnections(server: Server, isProxy: (address: string) => boolean): void {
  const open = new Map<string, number>()
  const counted = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    // One that asked for another protocol may come a second time (upgrades.ts).
    if (address === undefined || counted.has(socket) || isProxy(address)) return
    const client = clientNetwork(address)
    const held = open.get(client) ?? 0
    if (held >= SHARE * server.maxConnections) return void socket.destroy()
    counted.add(socket)
    open.set(client, held + 1)
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1
      if (left > 0) open.set(client, left)
      else open.delete(client)
    })
  })
}

/** Of an address as sockets show it: whole for IPv4, the first 56 bits for IPv6. */
export function clientNetwork(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1)
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const [first, second, third, fourth = '0'] = [...before, ...zeros, ...after]
  return [first, second, third, fourth.padStart(4, '0').slice(0, 2)].join(':')
}
