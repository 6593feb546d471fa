import { connect, createServer, type Server, type Socket } from 'node:net'
import { closeAfter } from './close-after.ts'
import { freePort } from './connections.ts'

/** Whether all connections or only this one fall silent, and whether the bytes just sent still arrive. */
export interface Freeze {
  all: boolean
  arrives: boolean
}

/** Whether a connection is reset before a client's request arrives, or before the response does. */
export type Lost = 'request' | 'response' | null

export interface TcpProxy {
  url: string
  /** Connects new clients to another port, for a server that restarted there. */
  lead(to: number): void
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>
  /** Passes no more bytes, without closing any connection. New connections are accepted but stay silent, too. */
  freeze(): void
  /** Called with everything that a client sends. Decides whether to fall silent now. */
  onSent: (sent: Buffer) => Freeze | null
  /** Called with everything that a client sends. Decides whether its connection is reset. */
  loses: (sent: Buffer, connection: Socket) => Lost
  /** Called with everything that the server sends. May replace it with the last bytes that the client gets. */
  onAnswer: (answer: Buffer) => Buffer | null
  /** Falls silent when a client first sends a matching text, and then resolves. */
  freezeAt(text: RegExp, how: Freeze): Promise<void>
  sees(text: string, times: number): Promise<void>
  /** Undoes everything. Bytes held back arrive late, even on connections that were closed meanwhile. */
  restore(): Promise<void>
}

export async function openTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  let targetPort = Number(port)
  const connections = new Set<ProxiedConnection>()
  let server: Server
  const ownPort = await freePort()
  let frozen = false

  const freeze = () => {
    frozen = true
    for (const connection of connections) connection.freeze()
  }
  const accept = (inner: Socket) => {
    const outer = connect({ port: targetPort, host: hostname, allowHalfOpen: true })
    const onSent = (sent: Buffer) => {
      const how = proxy.onSent(sent)
      if (how?.all) freeze()
      return how
    }
    const connection = new ProxiedConnection(inner, outer, {
      onSent,
      loses: (sent, client) => proxy.loses(sent, client),
      onAnswer: (answer) => proxy.onAnswer(answer),
    })
    connections.add(connection)
    connection.onClose = () => connections.delete(connection)
    if (frozen) connection.freeze()
  }
  const open = async () => {
    server = createServer({ allowHalfOpen: true }, accept)
    await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve))
  }
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const connection of connections) connection.destroy()
    })

  await open()
  closeAfter(cut)
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(ownPort)
  const proxy: TcpProxy = {
    url: url.href,
    cut,
    freeze,
    lead: (to) => {
      targetPort = to
    },
    onSent: () => null,
    loses: () => null,
    onAnswer: () => null,
    freezeAt: (text, how) =>
      new Promise((resolve) => {
        proxy.onSent = (sent) => {
          if (!text.test(sent.toString('latin1'))) return null
          proxy.onSent = () => null
          resolve()
          return how
        }
      }),
    sees: (text, times) =>
      new Promise((resolve) => {
        let seen = 0
        proxy.onSent = (sent) => {
          if (sent.includes(text) && ++seen === times) resolve()
          return null
        }
      }),
    async restore() {
      proxy.onSent = proxy.loses = proxy.onAnswer = () => null
      frozen = false
      for (const connection of connections) connection.thaw()
      if (!server.listening) await open()
    },
  }
  return proxy
}

class ProxiedConnection {
  onClose: () => void = () => undefined
  readonly #inner: Socket
  readonly #outer: Socket
  readonly #held: Buffer[] = []

  constructor(
    inner: Socket,
    outer: Socket,
    { onSent, loses, onAnswer }: Pick<TcpProxy, 'onSent' | 'loses' | 'onAnswer'>,
  ) {
    this.#inner = inner
    this.#outer = outer
    let isResponseLost = false
    inner.on('data', (sent: Buffer) => {
      const lost = loses(sent, inner)
      if (lost === 'request') return void inner.resetAndDestroy()
      isResponseLost ||= lost === 'response'
      const how = onSent(sent)
      if (how !== null) this.freeze()
      if (how === null || how.arrives) outer.write(sent)
      else this.#held.push(sent)
    })
    outer.on('data', (answer: Buffer) => {
      const last = onAnswer(answer)
      if (isResponseLost) inner.resetAndDestroy()
      else if (last === null) inner.write(answer)
      else inner.end(last)
    })
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroySoon()
        this.onClose()
      })
    }
  }

  freeze(): void {
    this.#inner.pause()
    this.#outer.pause()
  }

  thaw(): void {
    for (const sent of this.#held.splice(0)) this.#outer.write(sent)
    this.#inner.resume()
    this.#outer.resume()
  }

  destroy(): void {
    this.#inner.destroy()
    this.#outer.destroy()
  }
}
