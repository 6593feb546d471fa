/** A value that is valid while the database is unchanged, but not after `until` (in seconds). */
export interface ValidUntil<T> {
  value: T
  until: number
}

/** Concurrent calls share a read. A call after a change never gets a read that began before it. */
export class CachedRead<T> {
  readonly #read: (now: number) => Promise<ValidUntil<T>>
  #version = 0
  #known: { held: ValidUntil<T>; version: number; since: number } | null = null
  #reading: { result: Promise<T>; version: number; at: number } | null = null

  constructor(read: (now: number) => Promise<ValidUntil<T>>) {
    this.#read = read
  }

  invalidate(): void {
    this.#version++
  }

  peek(now: number): T | undefined {
    const known = this.#known
    if (known === null || known.version !== this.#version) return undefined
    return known.since <= now && now <= known.held.until ? known.held.value : undefined
  }

  async get(now: number): Promise<T> {
    const known = this.peek(now)
    if (known !== undefined) return known
    const reading = this.#reading
    const version = this.#version
    if (reading !== null && reading.version === version && reading.at === now) return reading.result
    const result = this.#read(now).then((held) => {
      if (this.#version === version) this.#known = { held, version, since: now }
      return held.value
    })
    const own = { result, version, at: now }
    this.#reading = own
    try {
      return await result
    } finally {
      if (this.#reading === own) this.#reading = null
    }
  }
}
