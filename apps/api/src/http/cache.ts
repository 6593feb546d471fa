import { LRUCache } from 'lru-cache'

/** Returns whether what a value depends on is unchanged. */
export type Unchanged = () => boolean

export interface Found<Value> {
  value: Value
  /** The last second at which the value is valid, if there is one. */
  until?: number
}

interface Kept<Value> extends Found<Value> {
  since: number
  isUnchanged: Unchanged
}

interface Reading {
  /** Concurrent reads of a key in the same flight are one. */
  flight: string
  /** Called when the read begins. */
  mark: () => Unchanged
  /** If this ends a read, others that wait for it read again. They share any other failure. */
  signal?: AbortSignal
}

interface Flight<Value> {
  isUnchanged: Unchanged
  signal: AbortSignal | undefined
  result: Promise<Value>
}

export interface Bounds<Value> {
  maxBytes: number
  maxEntryBytes: number
  bytesOf: (value: Value) => number
}

/** Keeps values while they are valid. A call after a change never gets a value that was read before it. */
export class Cache<Value extends object> {
  readonly #now: () => number
  readonly #kept: LRUCache<string, Kept<Value>>
  readonly #flights = new Map<string, Flight<Value>>()

  /** @param now returns seconds. Without bounds, one value is kept. */
  constructor(now: () => number, bounds?: Bounds<Value>) {
    this.#now = now
    this.#kept =
      bounds === undefined
        ? new LRUCache({ max: 1 })
        : new LRUCache({
            maxSize: bounds.maxBytes,
            maxEntrySize: bounds.maxEntryBytes,
            sizeCalculation: ({ value }, key) => bounds.bytesOf(value) + key.length,
          })
  }

  get(key: string): Value | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined || !kept.isUnchanged()) return undefined
    const { value, since, until = Number.POSITIVE_INFINITY } = kept
    const now = this.#now()
    return since <= now && now <= until ? value : undefined
  }

  keep(key: string, found: Found<Value>, isUnchanged: Unchanged, since = this.#now()): void {
    this.#kept.set(key, { ...found, since, isUnchanged })
  }

  /** Only frees memory: after a change, `get` returns none of these values anyway. */
  clear(): void {
    this.#kept.clear()
  }

  /** Returns what is kept, or reads it. @throws what `read` throws */
  async read(key: string, reading: Reading, read: () => Promise<Found<Value>>): Promise<Value> {
    const name = `${reading.flight} ${key}`
    for (;;) {
      const kept = this.get(key)
      if (kept !== undefined) return kept
      const running = this.#flights.get(name)
      // A read that began before a change may not see it.
      if (running === undefined || !running.isUnchanged()) return await this.#begin(name, key, reading, read)
      try {
        return await running.result
      } catch (error) {
        if (running.signal?.aborted !== true) throw error
      }
    }
  }

  async #begin(name: string, key: string, reading: Reading, read: () => Promise<Found<Value>>): Promise<Value> {
    const since = this.#now()
    const isUnchanged = reading.mark()
    const result = read().then((found) => {
      if (isUnchanged()) this.keep(key, found, isUnchanged, since)
      return found.value
    })
    const flight = { isUnchanged, signal: reading.signal, result }
    this.#flights.set(name, flight)
    try {
      return await result
    } finally {
      if (this.#flights.get(name) === flight) this.#flights.delete(name)
    }
  }
}

/** What a value depends on: the clock, in seconds since 1970, and changes of the database. */
export interface Dependencies {
  now: () => number
  mark: () => Unchanged
}

export type CachedRead<Value> = () => Promise<Value>

/** Returns a read of one value. Concurrent calls in the same second share it. */
export function cachedRead<Value extends object>(
  read: (now: number) => Promise<Found<Value>>,
  { now = () => 0, mark = () => () => true }: Partial<Dependencies> = {},
): CachedRead<Value> {
  const cache = new Cache<Value>(now)
  return () => {
    const second = now()
    return cache.read('', { flight: String(second), mark }, () => read(second))
  }
}
