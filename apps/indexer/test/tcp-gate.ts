import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fixed address in front of a server that comes back on another port. */
export interface TcpGate {
  port: number
  lead(to: number): void
  close(): Promise<void>
}

export async function openTcpGate(port: number): Promise<TcpGate> {
  let target = port
  const open = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lead(to) {
      target = to
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}
