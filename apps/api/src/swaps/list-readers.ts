import { HOUR, SECOND } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'
import type { Quotas } from '../http/limits/quotas.ts'

const WINDOW_MS = 5 * SECOND

export interface StreamLimits {
  maxOpen: number
  maxPerClient: number
  stallMs: number
  /** After this time a reader that took less than `minBytesPerS` is cut off. */
  patientMs: number
  minBytesPerS: number
}

export const STREAM_LIMITS: StreamLimits = {
  maxOpen: 1_024,
  maxPerClient: 256,
  stallMs: 60 * SECOND,
  patientMs: HOUR,
  minBytesPerS: 200_000,
}

export class SlowReader extends HttpFailure {
  override readonly name = 'SlowReader'

  constructor(message: string) {
    super(408, message)
  }
}

/** Caps the readers of lists at a time; if the maximum is reached, a new one replaces a slow one. */
export class ListReaders {
  readonly #quotas: Quotas
  readonly #limits: StreamLimits
  readonly #open = new Set<ListReader>()
  #measuring: NodeJS.Timeout | undefined

  constructor(quotas: Quotas, limits: StreamLimits) {
    this.#quotas = quotas
    this.#limits = limits
  }

  /**
   * Returns a place for a client. If the client, or all clients, are at the maximum, the slowest reader among these
   * loses its place.
   *
   * @throws HttpFailure 503 if none of them is slow
   */
  take(client: string): ListReader {
    const full = this.#quotas.fullFor(client)
    const slowest = full === null ? undefined : this.#slowest(full === 'client' ? client : null)
    slowest?.cut(new SlowReader('the list is read too slowly, and other clients wait'))
    slowest?.leave()
    const release = this.#quotas.take(client, 'lists')
    const reader = new ListReader(client, this.#limits, () => {
      release()
      this.#open.delete(reader)
      if (this.#open.size === 0) clearInterval(this.#measuring)
    })
    if (this.#open.size === 0) this.#measuring = setInterval(() => this.#measure(), WINDOW_MS).unref()
    this.#open.add(reader)
    return reader
  }

  #measure(): void {
    for (const reader of this.#open) reader.measure()
  }

  #slowest(client: string | null): ListReader | undefined {
    const slow = [...this.#open].filter(
      (reader) => (client === null || reader.client === client) && reader.bytesPerS < this.#limits.minBytesPerS,
    )
    return slow.sort((a, b) => a.bytesPerS - b.bytesPerS)[0]
  }
}

export class ListReader {
  readonly client: string
  readonly leave: () => void
  readonly #limits: StreamLimits
  readonly #cut = new AbortController()
  /** In the last whole window, infinite before. Not the average: the system buffers much at first. */
  bytesPerS = Number.POSITIVE_INFINITY
  #begunAt: number | null = null
  #sent = 0
  /** Of the bytes sent, those before this window. Null in the window in which the list begins. */
  #sentBefore: number | null = null

  constructor(client: string, limits: StreamLimits, leave: () => void) {
    this.client = client
    this.#limits = limits
    this.leave = leave
  }

  /** Aborts when the reader is too slow, or has to make room for another one. */
  get signal(): AbortSignal {
    return this.#cut.signal
  }

  begin(): void {
    this.#begunAt = performance.now()
  }

  /** @throws SlowReader if all in all it takes too long */
  took(bytes: number): void {
    this.#sent += bytes
    const passedMs = performance.now() - (this.#begunAt ?? 0)
    if (passedMs < this.#limits.patientMs || this.#sent >= (passedMs / SECOND) * this.#limits.minBytesPerS) return
    throw new SlowReader('the list takes too long')
  }

  measure(): void {
    if (this.#begunAt === null) return
    if (this.#sentBefore !== null) this.bytesPerS = (SECOND * (this.#sent - this.#sentBefore)) / WINDOW_MS
    this.#sentBefore = this.#sent
  }

  cut(reason: Error): void {
    this.#cut.abort(reason)
  }
}
