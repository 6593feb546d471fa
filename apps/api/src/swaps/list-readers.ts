import { HOUR, SECOND } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'
import type { Quotas } from '../http/limits/quotas.ts'

const WINDOW_MS = 5 * SECOND

export interface Patience {
  stallMs: number
  /** After this time a reader that took less than `minBytesPerS` is cut off. */
  patientMs: number
  minBytesPerS: number
}

export const PATIENCE: Patience = { stallMs: 60 * SECOND, patientMs: HOUR, minBytesPerS: 200_000 }

export class SlowReader extends HttpFailure {
  override readonly name = 'SlowReader'

  constructor(message: string) {
    super(408, message)
  }
}

/** Caps the readers of lists at a time; if the maximum is reached, a new one replaces a slow one. */
export class ListReaders {
  readonly #quotas: Quotas
  readonly #minBytesPerS: number
  readonly #open = new Set<ListReader>()

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
    const reader = new ListReader(client, () => {
      release()
      this.#open.delete(reader)
    })
    this.#open.add(reader)
    return reader
  }

  #slowest(client: string | null): ListReader | undefined {
    return [...this.#open]
      .filter((reader) => client === null || reader.client === client)
      .filter((reader) => reader.bytesPerS < this.#minBytesPerS)
      .sort((a, b) => a.bytesPerS - b.bytesPerS)[0]
  }
}

export class ListReader {
  readonly client: string
  readonly leave: () => void
  readonly #cut = new AbortController()
  #begunAt: number | null = null
  /** The window of the last bytes, with the bytes taken in it and in the one before. */
  #window = 0
  #taken = 0
  #before = 0

  constructor(client: string, leave: () => void) {
    this.client = client
    this.leave = leave
  }

  /** Aborts when the reader has to make room for another one. */
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

  /** In the last complete window, infinite before. Not the average: the system buffers much at first. */
  get bytesPerS(): number {
    const windows = this.#windowsAt(performance.now())
    if (windows === 0) return Number.POSITIVE_INFINITY
    const passed = windows - this.#window
    const taken = passed === 0 ? this.#before : passed === 1 ? this.#taken : 0
    return (SECOND * taken) / WINDOW_MS
  }

  displace(): void {
    this.#cut.abort(new SlowReader('the list is read too slowly, and other clients wait'))
    this.leave()
  }

  #windowsAt(now: number): number {
    return this.#begunAt === null ? 0 : Math.floor((now - this.#begunAt) / WINDOW_MS)
  }
}
