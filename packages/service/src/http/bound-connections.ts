import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { isHandedOver } from './handed-over.ts'
import { responseUnderWay } from './responses.ts'

/** The part of a server's connections that one client has at most. */
const SHARE = 0.75
/** The part that is kept free: what is closed is gone only after all that came at the same time was let in or refused. */
const FREE = 1 / 16

/**
 * Leaves connections of a server to others, whoever holds so many: what a client opens beyond its part of
 * `maxConnections` is closed at once, and when nearly all are taken, the client that holds most loses its oldest connection on
 * which nothing is being answered. An IPv6 network of 56 bits is one client.
 *
 * @param isProxy whether an address is that of a proxy, which stands for many clients and is not bounded
 */
export function boundConnections(server: Server, isProxy: (address: string) => boolean): void {
  const open = new Map<string, Set<Socket>>()
  const counted = new WeakSet<Socket>()
  /** Connections of all clients and proxies. */
  let total = 0
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    // One that asked for another protocol may come a second time (upgrades.ts).
    if (address === undefined || counted.has(socket)) return
    const client = isProxy(address) ? null : clientNetwork(address)
    const held = (client !== null && open.get(client)) || new Set()
    if (held.size >= SHARE * server.maxConnections) return void socket.destroy()
    counted.add(socket)
    held.add(socket)
    if (client !== null) open.set(client, held)
    total++
    socket.once('close', () => {
      total--
      held.delete(socket)
      if (client !== null && held.size === 0) open.delete(client)
    })
    // Node would refuse the next ones.
    if (total >= server.maxConnections - Math.floor(FREE * server.maxConnections)) cutOldest([...open.values()], socket)
  })
}

/** Closes a connection of the client that holds most, so that there is room for the next one. */
function cutOldest(clients: readonly Set<Socket>[], latest: Socket): void {
  for (const held of clients.toSorted((one, other) => other.size - one.size)) {
    for (const socket of held) {
      if (socket === latest || responseUnderWay(socket) !== null || isHandedOver(socket)) continue
      socket.destroy()
      return
    }
  }
}

/** Of an address as sockets show it: whole for IPv4, the first 56 bits for IPv6. */
export function clientNetwork(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1)
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const [first, second, third, fourth = '0'] = [...before, ...zeros, ...after]
  return [first, second, third, fourth.padStart(4, '0').slice(0, 2)].join(':')
}
