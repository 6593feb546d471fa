/** A value with how long it holds while the database stays as it is: between two times in seconds, both included. */
export interface Held<T> {
  value: T
  until: number
}

/**
 * What was read from the database, kept until that changes or its time is over. However many ask, it is read once; and
 * who asks after a change never gets what was read before it.
 */
export class Kept<T> {
  readonly #read: (now: number) => Promise<Held<T>>
  #version = 0
  #known: { held: Held<T>; version: number; since: number } | null = null
  #reading: { result: Promise<T>; version: number; at: number } | null = null

  /** @param read gives the value as of a time in seconds */
  constructor(read: (now: number) => Promise<Held<T>>) {
    this.#read = read
  }

  /** The database may have changed. */
  invalidate(): void {
    this.#version++
  }

  /** The value if it is known to hold at a time, else undefined. */
  peek(now: number): T | undefined {
    const known = this.#known
    if (known === null || known.version !== this.#version) return undefined
    return known.since <= now && now <= known.held.until ? known.held.value : undefined
  }

  /** The value as of now. @throws what reading it throws */
  async get(now: number): Promise<T> {
    const known = this.peek(now)
    if (known !== undefined) return known
    const [reading, version] = [this.#reading, this.#version]
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
