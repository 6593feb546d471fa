import type { Socket } from 'node:net'
import { present } from '@dexfeed/dex'
import { Client, type ClientConfig } from 'pg'
import { TRANSACTION_TIMEOUT } from './session-settings.ts'

export interface Silence {
  /** How long a running statement may go without a byte received or sent. */
  afterMs: number
  /** If absent, a silent connection counts as lost, because the server would have ended the statement itself. */
  isWorking?: (backend: number) => Promise<boolean>
}

export interface WatchedConfig extends ClientConfig {
  silence?: Silence
}

/** The outcome of the running statement is unknown. */
class ConnectionSilent extends Error {
  override readonly name = 'ConnectionSilent'

  constructor(ms: number) {
    super(`Connection terminated: nothing came from the database for ${ms} ms`)
  }
}

/** A slow connection: 50 kB/s with the production settings. */
const MIN_BYTES_PER_CHECK = 50_000
/** Larger data is sent in pieces, each of which shows progress. */
const MAX_UNDER_WAY = 2_000_000
/** Counts checks instead of time, so that pauses of this process do not count. */
const CHECKS = 5
/** A live server closes the connection immediately after a goodbye message. */
const GOODBYE_MS = 1_000

/**
 * Destroys a connection that is silent for too long. TCP reports lost packets only after a quarter of an hour, and a
 * proxy can hide the loss forever. `query_timeout` of node-postgres would also cut slow statements, count the wait for
 * earlier ones, and keep using the connection.
 */
export class WatchedClient extends Client {
  backend: number | null = null
  readonly #silence: Silence | undefined
  #timer: NodeJS.Timeout | undefined
  #moved = 0
  #received = { read: 0, written: 0 }
  #written = 0
  #silentChecks = 0
  #isAsking = false
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

  /** Reads the backend's process id, and turns off a limit that connection options cannot turn off on every version. */
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

  /** An override, because callers may remove listeners. */
  override emit(event: string | symbol, ...given: unknown[]): boolean {
    // All statements have completed, or none will.
    if (event === 'drain' || event === 'end') this.#rest()
    // A running statement reports the loss itself; an error event without a listener would end the process.
    if (event === 'error' && this.listenerCount('error') === 0) return false
    return super.emit(event, ...given)
  }

  #watch(): void {
    if (this.#silence === undefined || this.#timer !== undefined || this.connection.stream.destroyed) return
    const { bytesRead, bytesWritten } = this.connection.stream as Socket
    // All earlier statements have completed, and the new one is not written yet.
    this.#received = { read: bytesRead, written: bytesWritten }
    this.#written = bytesWritten
    this.#timer = setInterval(() => this.#check(), this.#silence.afterMs / CHECKS)
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#isLost = false
  }

  #check(): void {
    const { bytesRead, bytesWritten } = this.connection.stream as Socket
    // Bytes written since the previous check may have been sent after that response.
    if (bytesRead !== this.#received.read) this.#received = { read: bytesRead, written: this.#written }
    this.#written = bytesWritten
    // Data written in one call arrives gradually, and the server waits until it is complete.
    const underWay = Math.min(MAX_UNDER_WAY, bytesWritten - this.#received.written)
    if (bytesRead + bytesWritten !== this.#moved) {
      this.#moved = bytesRead + bytesWritten
      this.#silentChecks = 0
      this.#isLost = false
    } else if (this.#isLost) this.#cut()
    else if (++this.#silentChecks >= CHECKS + underWay / MIN_BYTES_PER_CHECK) this.#decide()
  }

  #decide(): void {
    const { isWorking } = this.#silence ?? {}
    if (isWorking === undefined || this.backend === null) this.#cut()
    else if (!this.#isAsking) this.#askServer(isWorking(this.backend))
  }

  #askServer(working: Promise<boolean>): void {
    const moved = this.#moved
    this.#isAsking = true
    void working.then((works) => {
      this.#isAsking = false
      this.#silentChecks = 0
      // The next check closes the connection, unless a result arrives first.
      this.#isLost = !works && moved === this.#moved
    })
  }

  #cut(): void {
    this.#rest()
    this.connection.stream.destroy(new ConnectionSilent(present(this.#silence).afterMs))
  }
}
