import { Agent, type ClientRequest, get, type IncomingMessage, type RequestOptions, request } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '@dexfeed/dex'
import { adopt } from '@dexfeed/service'

/** `ready`: to be asked; `answering`: where no other is ready; `silent`: where no other is left. */
export type Standing = 'ready' | 'answering' | 'silent'

/** An address of the same network answers at once, or there is nobody. */
const CONNECT_MS = SECOND
const PROBE_MS = 2 * SECOND
/** Less than the API keeps a connection that is not used, so that none is used that it is just closing. */
const IDLE_MS = 4 * SECOND
const MAX_IDLE = 256
/** After so many looks without an answer, what was sent to it is given up, too. */
const SILENT_LOOKS = 3

/** The answer of a replica, of which the body is still to come, or the connection that it became. */
export type Answer = { message: IncomingMessage; upgraded?: { socket: Socket; head: Buffer } }

/** One process of the API. */
export class Replica {
  readonly address: string
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE })
  readonly #upgraded = new Set<Socket>()
  #standing: Standing = 'silent'
  #silentLooks = 0
  #active = 0

  constructor(address: string, port: number) {
    this.address = address
    this.#port = port
  }

  get standing(): Standing {
    return this.#standing
  }

  /** Requests that are not over. */
  get active(): number {
    return this.#active
  }

  /** Begins a request, which counts until it is closed. @throws when it cannot be sent as it is */
  ask(options: Pick<RequestOptions, 'method' | 'path'> & { headers: readonly string[] }): ClientRequest {
    const asked = request({ ...options, host: this.address, port: this.#port, agent: this.#agent })
    this.#active++
    asked.once('close', () => this.#active--)
    asked.once('upgrade', (_message, duplex) => {
      // Without TLS there are no other connections.
      const socket = duplex as Socket
      adopt(socket)
      this.#active++
      this.#upgraded.add(socket)
      socket.once('close', () => {
        this.#active--
        this.#upgraded.delete(socket)
      })
    })
    limitConnecting(asked)
    return asked
  }

  /** It did not answer a request; how it really is the next look tells. */
  missed(): void {
    this.#standing = 'silent'
  }

  /** Asks whether it is ready. */
  async look(): Promise<Standing> {
    const status = await this.#probe()
    this.#silentLooks = status === null ? this.#silentLooks + 1 : 0
    this.#standing = status === null ? 'silent' : status === 200 ? 'ready' : 'answering'
    // Who waits for an answer from there is served by another; who had a part of it learns that no more comes.
    if (this.#silentLooks >= SILENT_LOOKS) this.cut()
    return this.#standing
  }

  /** Cuts all connections. */
  cut(): void {
    this.#agent.destroy()
    for (const socket of this.#upgraded) socket.destroy()
  }

  #probe(): Promise<number | null> {
    return new Promise((resolve) => {
      const options = { host: this.address, port: this.#port, path: '/readyz', agent: this.#agent }
      const asked = get(options, (response) => {
        resolve(response.statusCode ?? null)
        response.resume()
      })
      const late = setTimeout(() => asked.destroy(), PROBE_MS)
      asked.once('error', () => resolve(null))
      asked.once('close', () => {
        clearTimeout(late)
        resolve(null)
      })
    })
  }
}

/** Node waits for minutes for an address where nobody is. */
function limitConnecting(asked: ClientRequest): void {
  asked.once('socket', (socket) => {
    if (!socket.connecting) return
    const late = setTimeout(() => asked.destroy(new Error('no connection in time')), CONNECT_MS)
    socket.once('connect', () => clearTimeout(late))
    asked.once('close', () => clearTimeout(late))
  })
}
