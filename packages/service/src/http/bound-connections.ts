import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { isAdopted } from './adopted-connections.ts'
import { responseUnderWay } from './responses.ts'

const SHARE = 0.75
/**
 * The share to keep free. Node accepts or refuses all waiting connections before it notices that one was closed, so at
 * the maximum it would refuse some.
 */
const FREE = 1 / 16

/**
 * Keeps one client from taking all connections: connections beyond its share of `maxConnections` are closed. When nearly
 * all are in use, the client with the most loses its oldest connection without a response under way. An address that
 * `isProxy` accepts serves many clients and has no limit.
 */
export function boundConnections(server: Server, isProxy: (address: string) => boolean): void {
  const open = new Map<string, Set<Socket>>()
  const counted = new WeakSet<Socket>()
  let total = 0
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    // upgrades.ts emits a connection a second time.
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
    // At the maximum, Node would refuse the next connections.
    if (total >= server.maxConnections - Math.floor(FREE * server.maxConnections)) cutOldest([...open.values()], socket)
  })
}

function cutOldest(clients: readonly Set<Socket>[], latest: Socket): void {
  for (const held of clients.toSorted((set, other) => other.size - set.size)) {
    for (const socket of held) {
      if (socket === latest || responseUnderWay(socket) !== null || isAdopted(socket)) continue
      socket.destroy()
      return
    }
  }
}

/** Returns what identifies a client: all of an IPv4 address, the first 56 bits of an IPv6 address. */
export function clientNetwork(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1)
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const [first, second, third, fourth = '0'] = [...before, ...zeros, ...after]
  return [first, second, third, fourth.padStart(4, '0').slice(0, 2)].join(':')
}
