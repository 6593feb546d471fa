import { createServer, type RequestListener, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { closeAfter } from '@dexfeed/test-setup'
import { freePort } from '@dexfeed/test-setup/connections'
import { type Haproxy, startHaproxy } from '@dexfeed/test-setup/haproxy'

export interface Replica {
  address: string
  server: Server
  /** Number of requests, without health checks. */
  requests: number
  isReady: boolean
  kill(): Promise<void>
  start(): Promise<void>
}

async function startReplicas(listeners: readonly RequestListener[]): Promise<{ replicas: Replica[]; port: number }> {
  const port = await freePort()
  const replicas: Replica[] = []
  for (const [at, listener] of listeners.entries()) {
    const sockets = new Set<Socket>()
    const server = createServer({ requireHostHeader: false, keepAliveTimeout: 10_000 }, (request, response) => {
      if (request.url === '/readyz') return void response.writeHead(replica.isReady ? 200 : 503).end('{}')
      replica.requests++
      listener(request, response)
    })
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    const replica: Replica = {
      address: `127.0.0.${at + 2}`,
      server,
      requests: 0,
      isReady: true,
      kill: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          for (const socket of sockets) socket.resetAndDestroy()
        }),
      start: () =>
        new Promise((resolve, reject) => {
          server.once('error', reject).listen(port, replica.address, resolve)
        }),
    }
    await replica.start()
    closeAfter(() => replica.kill())
    replicas.push(replica)
  }
  return { replicas, port }
}

export async function openProxy(
  listeners: readonly RequestListener[],
  trustProxy = '0',
): Promise<Haproxy & { replicas: Replica[] }> {
  const { replicas, port } = await startReplicas(listeners)
  const addresses = replicas.map(({ address }) => address)
  return { ...(await startHaproxy(port, addresses, trustProxy)), replicas }
}

/** Returns everything that arrives until the connection ends. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.setEncoding('latin1').on('data', (data: string) => {
      reply += data
    })
    socket.on('error', () => undefined).on('close', () => resolve(reply))
  })
}
