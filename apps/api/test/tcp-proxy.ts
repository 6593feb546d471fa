import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { closeAfter } from '@dexfeed/test-setup'

/** A way to a server that can be cut and blocked. */
export interface TcpProxy {
  url: string
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>
  /** Lets nothing through any more, without closing anything. */
  freeze(): void
  /** Undoes both. */
  restore(): Promise<void>
}

/** Opens a proxy to the server of a connection string. It ends with the test. */
export async function openTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let frozen = false
  let server: Server
  let ownPort = 0

  const accept = (inner: Socket) => {
    const outer = connect(Number(port), hostname)
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from)
      if (frozen) from.pause()
      from.on('data', (data) => to.write(data))
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('error', () => to.destroy())
      if (frozen) from.pause()
    }
  }
  const open = async () => {
    server = createServer(accept)
    await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve))
    ownPort = (server.address() as AddressInfo).port
  }
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })

  await open()
  closeAfter(cut)
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(ownPort)
  return {
    url: url.href,
    cut,
    freeze() {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    async restore() {
      frozen = false
      for (const socket of sockets) socket.resume()
      if (!server.listening) await open()
    },
  }
}
