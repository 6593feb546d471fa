import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'

/** How a connection is taken for lost although nothing has closed it. */
export interface Silence {
  /** A statement is under way, and for so long nothing has come or gone: neither of its answer nor of what it is given. */
  afterMs: number
  /**
   * Whether the server still has work to do for a backend of its own before it answers. Without it whatever is silent
   * for so long is lost: the server itself would have ended the statement before.
   */
  isWorking?: (backend: number) => Promise<boolean>
}

export interface WatchedConfig extends ClientConfig {
  silence?: Silence
}

/** A connection fell silent. The outcome of what was under way is not known. */
class ConnectionSilent extends Error {
  override readonly name = 'ConnectionSilent'

  constructor(ms: number) {
    super(`Connection terminated: nothing came from the database for ${ms} ms`)
  }
}

/** What is given to a slow way arrives at so many bytes a look: 50 kB/s, with the patience of use. */
const SLOWEST_A_LOOK = 50_000
/** More is given in pieces, each of which shows by leaving; a silence behind them is to be noticed, too. */
const MOST_UNDER_WAY = 2_000_000
/** Looks at a silence, so that it is measured by looks: a process that stood still itself has not listened meanwhile. */
const LOOKS = 5
/** Whoever is told goodbye closes the connection at once, unless it is not there any more. */
const GOODBYE_MS = 1_000

/**
 * A connection that does not wait for ever. Where packets vanish, TCP repeats what it sent for a quarter of an hour or
 * more before it gives up, and says nothing meanwhile; a machine between that answers in the other's place does so for
 * ever. What was lost is destroyed, never to be used again.
 *
 * Not by `query_timeout` of node-postgres: that cuts what is merely slow, counts the wait for earlier statements, and
 * goes on using the connection.
 */
export class WatchedClient extends Client {
  /** The number of the server's process behind it, once that is known. */
  backend: number | null = null
  readonly #silence: Silence | undefined
  #looking: NodeJS.Timeout | undefined
  #moved = 0
  /** What had been read and written when the server was heard of last. */
  #heard = { read: 0, written: 0 }
  /** What had been written at the last look. */
  #written = 0
  /** Looks at which nothing had moved. */
  #still = 0
  #isAsking = false
  #isGivenUp = false

  constructor(config?: WatchedConfig) {
    super(config)
    this.#silence = config?.silence
    const query = super.query
    this.query = ((...given: unknown[]) => {
      this.#watch()
      return Reflect.apply(query, this, given)
    }) as Client['query']
  }

  /** Learns `backend`. */
  async askBackend(): Promise<number> {
    const { rows } = await this.query<{ backend: number }>('SELECT pg_backend_pid() AS backend')
    const [row] = rows
    if (row === undefined) throw new Error('the server does not say which of its processes answers')
    this.backend = row.backend
    return row.backend
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const cut = setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS).unref()
    this.once('end', () => clearTimeout(cut))
    return callback ? super.end(callback) : super.end()
  }

  /** Not by listeners, which others may remove. */
  override emit(event: string | symbol, ...given: unknown[]): boolean {
    // All statements are answered, or none will be.
    if (event === 'drain' || event === 'end') this.#rest()
    // Whoever has a statement under way hears of a loss by that. Where nobody listens, the process would end.
    if (event === 'error' && this.listenerCount('error') === 0) return false
    return super.emit(event, ...given)
  }

  #watch(): void {
    if (this.#silence === undefined || this.#looking !== undefined || this.connection.stream.destroyed) return
    const { bytesRead, bytesWritten } = this.connection.stream as Socket
    // Everything before is answered, and what is given now is not written yet.
    this.#heard = { read: bytesRead, written: bytesWritten }
    this.#written = bytesWritten
    this.#looking = setInterval(() => this.#look(), this.#silence.afterMs / LOOKS)
  }

  #rest(): void {
    clearInterval(this.#looking)
    this.#looking = undefined
    this.#isGivenUp = false
  }

  #look(): void {
    const { bytesRead, bytesWritten } = this.connection.stream as Socket
    // What was given since the look before may have come after that.
    if (bytesRead !== this.#heard.read) this.#heard = { read: bytesRead, written: this.#written }
    this.#written = bytesWritten
    // Handed over all at once, it arrives little by little, and until it is whole the server waits for us.
    const underWay = Math.min(MOST_UNDER_WAY, bytesWritten - this.#heard.written)
    if (bytesRead + bytesWritten !== this.#moved) {
      this.#moved = bytesRead + bytesWritten
      this.#still = 0
      this.#isGivenUp = false
    } else if (this.#isGivenUp) this.#cut()
    else if (++this.#still >= LOOKS + underWay / SLOWEST_A_LOOK) this.#decide()
  }

  #decide(): void {
    const { isWorking } = this.#silence ?? {}
    if (isWorking === undefined || this.backend === null) this.#cut()
    else if (!this.#isAsking) this.#ask(isWorking(this.backend))
  }

  #ask(asked: Promise<boolean>): void {
    const moved = this.#moved
    this.#isAsking = true
    void asked.then((works) => {
      this.#isAsking = false
      this.#still = 0
      // Cut by the next look: the answer may be on its way.
      this.#isGivenUp = !works && moved === this.#moved
    })
  }

  #cut(): void {
    this.#rest()
    this.connection.stream.destroy(new ConnectionSilent(this.#silence?.afterMs ?? 0))
  }
}
