import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { closeAfter } from '@dexfeed/test-setup'

/** Whether a connection is cut before a client's request arrives, or before the response does. */
export type Cut = 'request' | 'response' | null

/** A fixed address for a server that restarts on another port, or whose connections are cut. */
export interface TcpGate {
  port: number
  lead(to: number): void
  /** Decides about everything that a client sends over one of its connections. */
  cut: (sent: Buffer, connection: Socket) => Cut
  close(): Promise<void>
}

export async function openTcpGate(port: number): Promise<TcpGate> {
  let target = port
  const open = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1')
    let isResponseLost = false
    incoming.on('data', (sent) => {
      const cut = gate.cut(sent, incoming)
      if (cut === 'request') incoming.resetAndDestroy()
      else outgoing.write(sent)
      isResponseLost ||= cut === 'response'
    })
    outgoing.on('data', (received) => {
      if (isResponseLost) incoming.resetAndDestroy()
      else incoming.write(received)
    })
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(from)
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const gate: TcpGate = {
    port: (server.address() as AddressInfo).port,
    cut: () => null,
    lead(to) {
      target = to
    },
    close: closeAfter(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          for (const socket of open) socket.destroy()
        }),
    ),
  }
  return gate
}
