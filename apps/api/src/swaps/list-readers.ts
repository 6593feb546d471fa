import { SECOND } from '@dexfeed/dex'
import type { Quotas } from '../http/limits/quotas.ts'
import { SlowReader } from './send-body.ts'

const WINDOW_MS = 5 * SECOND

export interface ListReader {
  /** Aborts when the reader has to make room for another one. */
  readonly displaced: AbortSignal
  begin(): void
  took(bytes: number): void
  leave(): void
}

/** Caps the readers of lists at a time; if the maximum is reached, a new one replaces a slow one. */
export class ListReaders {
  readonly #quotas: Quotas
  readonly #minBytesPerS: number
  readonly #open = new Set<OpenReader>()

  constructor(quotas: Quotas, minBytesPerS: number) {
    this.#quotas = quotas
    this.#minBytesPerS = minBytesPerS
  }

  /**
   * Returns a place for a client. If the client, or all clients, are at the maximum, the slowest reader among these
   * loses its place.
   *
   * @throws HttpFailure 503 if none of them is slow
   */
  take(client: string): ListReader {
    const full = this.#quotas.fullFor(client)
    if (full !== null) this.#slowest(full === 'client' ? client : null)?.displace()
    const release = this.#quotas.take(client, 'lists')
    const reader = new OpenReader(client, () => {
      release()
      this.#open.delete(reader)
    })
    this.#open.add(reader)
    return reader
  }

  #slowest(client: string | null): OpenReader | undefined {
    const now = performance.now()
    let slowest: OpenReader | undefined
    let minSpeed = this.#minBytesPerS
    for (const reader of this.#open) {
      const speed = client === null || reader.client === client ? reader.bytesPerS(now) : null
      if (speed === null || speed >= minSpeed) continue
      slowest = reader
      minSpeed = speed
    }
    return slowest
  }
}

class OpenReader implements ListReader {
  readonly client: string
  readonly #leave: () => void
  readonly #cut = new AbortController()
  #begunAt: number | null = null
  /** The window of the last bytes, with the bytes taken in it and in the one before. */
  #window = 0
  #taken = 0
  #before = 0

  constructor(client: string, leave: () => void) {
    this.client = client
    this.#leave = leave
  }

  get displaced(): AbortSignal {
    return this.#cut.signal
  }

  begin(): void {
    this.#begunAt = performance.now()
  }

  took(bytes: number): void {
    const passed = this.#windowsAt(performance.now()) - this.#window
    if (passed > 0) {
      this.#before = passed === 1 ? this.#taken : 0
      this.#taken = 0
      this.#window += passed
    }
    this.#taken += bytes
  }

  /** Returns the speed in the last complete window, or null. Not the average: the system buffers much at first. */
  bytesPerS(now: number): number | null {
    const windows = this.#windowsAt(now)
    if (windows === 0) return null
    const passed = windows - this.#window
    const taken = passed === 0 ? this.#before : passed === 1 ? this.#taken : 0
    return (SECOND * taken) / WINDOW_MS
  }

  displace(): void {
    this.#cut.abort(new SlowReader('the list is read too slowly, and other clients wait'))
    this.#leave()
  }

  leave(): void {
    this.#leave()
  }

  #windowsAt(now: number): number {
    return this.#begunAt === null ? 0 : Math.floor((now - this.#begunAt) / WINDOW_MS)
  }
}
