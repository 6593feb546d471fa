const LEAST_BYTES = 64 * 1024
/** Larger answers are rare: what they were gathered in is not kept. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024
const MOST_KEPT = 6

/**
 * What the bodies of answers are gathered in, one after the other. With a new buffer for each answer the garbage collector
 * looks through the whole heap for every 64 MB of them, which is all that it knows about memory outside of it.
 */
export class BodyBuffers {
  /** The smallest one first. */
  readonly #free: Buffer[] = []

  /** One of at least so many bytes, of any content. */
  take(bytes: number): Buffer {
    const place = this.#free.findIndex(({ length }) => length >= bytes)
    const [found] = place < 0 ? [] : this.#free.splice(place, 1)
    return found ?? Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes))))
  }

  /** Gives one back that is no longer read or written. */
  giveBack(buffer: Buffer): void {
    if (buffer.length > MOST_KEPT_BYTES) return
    this.#free.push(buffer)
    this.#free.sort((a, b) => a.length - b.length)
    if (this.#free.length > MOST_KEPT) this.#free.shift()
  }
}
