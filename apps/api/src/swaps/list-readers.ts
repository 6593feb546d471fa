import { SECOND } from '@dexfeed/dex'
import type { Quotas } from '../http/limits/quotas.ts'
import { SlowReader } from './send-body.ts'

/** The window in which a reader's speed is measured. */
const WINDOW_MS = 5 * SECOND

/** A client to which a list is being sent. */
export interface ListReader {
  /** Aborts when the reader has to make room for another one. */
  readonly displaced: AbortSignal
  /** The list begins to be sent: from now on the reader's speed is measured. */
  begin(): void
  /** Counts bytes that the reader took. */
  took(bytes: number): void
  /** Frees its place. */
  leave(): void
}

/** Places for the readers of lists. If all are taken, a new reader gets the place of a slow one. */
export class ListReaders {
  readonly #quotas: Quotas
  readonly #minBytesPerS: number
  readonly #open = new Set<OpenReader>()

  /** @param minBytesPerS a faster reader keeps its place */
  constructor(quotas: Quotas, minBytesPerS: number) {
    this.#quotas = quotas
    this.#minBytesPerS = minBytesPerS
  }

  /**
   * Returns a place for one more list of a client. If the client, or all clients together, are at their maximum, the
   * slowest reader among these loses its place.
   *
   * @throws HttpFailure 503 when none of them is slow
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
    let least = this.#minBytesPerS
    for (const reader of this.#open) {
      const speed = client === null || reader.client === client ? reader.bytesPerS(now) : null
      if (speed === null || speed >= least) continue
      slowest = reader
      least = speed
    }
    return slowest
  }
}

class OpenReader implements ListReader {
  readonly client: string
  readonly #leave: () => void
  readonly #cut = new AbortController()
  /** Null: nothing is sent yet. */
  #begunAt: number | null = null
  /** The window of the last bytes, counted from the beginning, with the bytes taken in it and in the one before. */
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

  /**
   * Returns the speed in the last complete window; null if none is complete. The system buffers much at first, so the
   * average since the beginning says little.
   */
  bytesPerS(now: number): number | null {
    const windows = this.#windowsAt(now)
    if (windows === 0) return null
    const passed = windows - this.#window
    const taken = passed === 0 ? this.#before : passed === 1 ? this.#taken : 0
    return (SECOND * taken) / WINDOW_MS
  }

  /** Frees the place immediately, however long closing takes. */
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
