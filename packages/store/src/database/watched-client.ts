import type { Socket } from 'node:net'
import { present } from '@dexfeed/dex'
import { Client, type ClientConfig } from 'pg'
import { TRANSACTION_TIMEOUT } from './session-settings.ts'

/** When a connection is considered lost although nothing has closed it. */
export interface Silence {
  /** A statement is running, and for this long no byte was received or sent, neither of its result nor of its input. */
  afterMs: number
  /**
   * Returns whether the server still has work to do for this backend before it responds. Without it, a connection that
   * is silent for that long is lost: the server itself would have ended the statement earlier.
   */
  isWorking?: (backend: number) => Promise<boolean>
}

export interface WatchedConfig extends ClientConfig {
  silence?: Silence
}

/** A connection fell silent. The outcome of the running statement is not known. */
class ConnectionSilent extends Error {
  override readonly name = 'ConnectionSilent'

  constructor(ms: number) {
    super(`Connection terminated: nothing came from the database for ${ms} ms`)
  }
}

/** Bytes per look that arrive even over a slow connection: 50 kB/s, with the production settings. */
const SLOWEST_A_LOOK = 50_000
/** More data than this is sent in pieces, and each piece shows progress. A silence after them must be noticed, too. */
const MOST_UNDER_WAY = 2_000_000
/** Looks per silence. Counting looks, not time, excludes pauses of this process, in which it received nothing. */
const LOOKS = 5
/** A server closes the connection immediately after a goodbye message, unless it is gone. */
const GOODBYE_MS = 1_000

/**
 * A connection that does not wait for ever. If packets are lost, TCP repeats them for a quarter of an hour or more
 * before it reports an error. A machine in between that responds for the server hides the loss for ever. A lost
 * connection is destroyed and never used again.
 *
 * `query_timeout` of node-postgres does not serve: it also cuts slow statements, counts the wait for earlier
 * statements, and continues to use the connection.
 */
export class WatchedClient extends Client {
  /** The process id of the server's backend, once it is known. */
  backend: number | null = null
  readonly #silence: Silence | undefined
  #timer: NodeJS.Timeout | undefined
  #moved = 0
  /** Bytes read and written when the server last responded. */
  #received = { read: 0, written: 0 }
  /** Bytes written at the last look. */
  #written = 0
  #silentLooks = 0
  #isChecking = false
  #isLost = false

  constructor(config?: WatchedConfig) {
    super(config)
    this.#silence = config?.silence
    const query = super.query
    this.query = ((...given: unknown[]) => {
      this.#watch()
      return Reflect.apply(query, this, given)
    }) as Client['query']
  }

  /** Reads the backend, and ends a limit of transactions that options cannot end on every version. */
  async readBackend(): Promise<number> {
    const { rows } = await this.query<{ backend: number }>(
      `SELECT pg_backend_pid() AS backend, CASE WHEN current_setting('${TRANSACTION_TIMEOUT}', true) <> '0'
         THEN set_config('${TRANSACTION_TIMEOUT}', '0', false) END`,
    )
    const [row] = rows
    if (row === undefined) throw new Error('the server did not return the process id of its backend')
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

  /** An override, not a listener, since callers may remove listeners. */
  override emit(event: string | symbol, ...given: unknown[]): boolean {
    // All statements have completed, or none will.
    if (event === 'drain' || event === 'end') this.#rest()
    // A running statement reports the loss itself. Without any listener, an error event would end the process.
    if (event === 'error' && this.listenerCount('error') === 0) return false
    return super.emit(event, ...given)
  }

  #watch(): void {
    if (this.#silence === undefined || this.#timer !== undefined || this.connection.stream.destroyed) return
    const { bytesRead, bytesWritten } = this.connection.stream as Socket
    // All earlier statements have completed, and the new one is not written yet.
    this.#received = { read: bytesRead, written: bytesWritten }
    this.#written = bytesWritten
    this.#timer = setInterval(() => this.#look(), this.#silence.afterMs / LOOKS)
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#isLost = false
  }

  #look(): void {
    const { bytesRead, bytesWritten } = this.connection.stream as Socket
    // What was written since the previous look may have been sent after that response.
    if (bytesRead !== this.#received.read) this.#received = { read: bytesRead, written: this.#written }
    this.#written = bytesWritten
    // Data that is written in one call arrives gradually, and the server waits for us until it is complete.
    const underWay = Math.min(MOST_UNDER_WAY, bytesWritten - this.#received.written)
    if (bytesRead + bytesWritten !== this.#moved) {
      this.#moved = bytesRead + bytesWritten
      this.#silentLooks = 0
      this.#isLost = false
    } else if (this.#isLost) this.#cut()
    else if (++this.#silentLooks >= LOOKS + underWay / SLOWEST_A_LOOK) this.#decide()
  }

  #decide(): void {
    const { isWorking } = this.#silence ?? {}
    if (isWorking === undefined || this.backend === null) this.#cut()
    else if (!this.#isChecking) this.#check(isWorking(this.backend))
  }

  #check(working: Promise<boolean>): void {
    const moved = this.#moved
    this.#isChecking = true
    void working.then((works) => {
      this.#isChecking = false
      this.#silentLooks = 0
      // The next look closes it, if no result arrives until then.
      this.#isLost = !works && moved === this.#moved
    })
  }

  #cut(): void {
    this.#rest()
    this.connection.stream.destroy(new ConnectionSilent(present(this.#silence).afterMs))
  }
}
