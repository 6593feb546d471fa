export interface ExpiringCacheOptions {
  maxEntries: number
  /** How long an entry counts as fresh. */
  maxAgeMs: number
  /** Milliseconds of a clock. */
  now?: () => number
}

interface Entry<V> {
  value: V
  storedAt: number
}

/** A bounded map whose entries go stale. The oldest entries leave first. */
export class ExpiringCache<K, V> {
  private readonly entries = new Map<K, Entry<V>>()
  private readonly options: Required<ExpiringCacheOptions>

  constructor({ now = Date.now, ...options }: ExpiringCacheOptions) {
    this.options = { now, ...options }
  }

  fresh(key: K): V | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined || this.options.now() - entry.storedAt > this.options.maxAgeMs) return undefined
    return entry.value
  }

  /** Also what is no longer fresh, for when nothing better is to be had. */
  any(key: K): V | undefined {
    return this.entries.get(key)?.value
  }

  set(key: K, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, { value, storedAt: this.options.now() })
    if (this.entries.size <= this.options.maxEntries) return
    const [oldest] = this.entries.keys()
    if (oldest !== undefined) this.entries.delete(oldest)
  }

  delete(key: K): void {
    this.entries.delete(key)
  }
}
