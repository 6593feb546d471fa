import type { Hex } from '@dexfeed/dex'

/** Values that fill a block's texts when its place is known. */
export interface Place {
  /** All values of a kind have the same length. */
  number: Hex
  time: Hex
  hash: Hex
  transactionHashes: readonly Hex[]
}

type Hole = 'number' | 'time' | 'hash'

/** A text that is made once and filled for each block that uses it. ASCII only. */
export class HoledText {
  readonly #holes: Record<Hole, number[]> = { number: [], time: [], hash: [] }
  /** Positions, and the index of the transaction whose hash belongs there. */
  readonly #hashes: { at: number; index: number }[] = []
  readonly #width: number
  #length = 0
  #text: Buffer

  /**
   * @param numberWidth characters of a block's number
   * @param room characters that the text is expected to have
   */
  constructor(numberWidth: number, room = 1 << 16) {
    this.#width = numberWidth
    this.#text = Buffer.allocUnsafeSlow(room)
  }

  get length(): number {
    return this.#length
  }

  add(text: string): this {
    while (this.#length + text.length > this.#text.length) this.#resize(2 * this.#text.length)
    this.#text.write(text, this.#length, 'latin1')
    this.#length += text.length
    return this
  }

  /** Frees unused room. Nothing may be added later. */
  close(): this {
    this.#resize(this.#length)
    return this
  }

  hole(kind: Hole): this {
    this.#holes[kind].push(this.#length)
    return this.add('0'.repeat(kind === 'hash' ? 66 : kind === 'time' ? 10 : this.#width))
  }

  transactionHash(index: number): this {
    this.#hashes.push({ at: this.#length, index })
    return this.add('0'.repeat(66))
  }

  /** Returns the text with every hole filled. */
  fill({ number, time, hash, transactionHashes }: Place): Buffer {
    const filled = Buffer.from(this.#text.subarray(0, this.#length))
    const put = (at: readonly number[], text: string) => {
      const bytes = Buffer.from(text, 'latin1')
      for (const position of at) filled.set(bytes, position)
    }
    put(this.#holes.number, number)
    put(this.#holes.time, time)
    put(this.#holes.hash, hash)
    const bytes = transactionHashes.map((one) => Buffer.from(one, 'latin1'))
    for (const { at, index } of this.#hashes) {
      const own = bytes[index]
      if (own !== undefined) filled.set(own, at)
    }
    return filled
  }

  #resize(room: number): void {
    const text = Buffer.allocUnsafeSlow(room)
    this.#text.copy(text)
    this.#text = text
  }
}
