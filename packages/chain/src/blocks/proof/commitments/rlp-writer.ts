import { present } from '@dexfeed/dex'

export class NotHex extends Error {
  override readonly name = 'NotHex'

  constructor(value: unknown) {
    super(`${String(value).slice(0, 80)} is not a hexadecimal text`)
  }
}

const DIGITS = Int8Array.from({ length: 256 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code)))
const ZERO = 48
const LONGEST_DECODED_HERE = 128

function lowerHex(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new NotHex(value)
  return value.toLowerCase()
}

function isHexPrefix(text: string, from: number): boolean {
  return text.charCodeAt(from) === ZERO && text.charCodeAt(from + 1) === 120
}

const TEXT = 0x80
const LIST = 0xc0
/** From this length on, the length of a payload is encoded in extra bytes. */
const LONG = 56

/**
 * Writes RLP (Yellow Paper, appendix B) back to front, the last item first. Each length is then written after its
 * payload, so that nothing is measured in advance or copied.
 *
 * end = writer.start
 * writer.hex(data)
 * writer.hex(address)
 * writer.list(end)        // [address, data]
 */
export class RlpWriter {
  #bytes: Buffer
  #start: number

  constructor(capacity = 1 << 16) {
    this.#bytes = Buffer.allocUnsafe(capacity)
    this.#start = 0
  }

  get start(): number {
    return this.#start
  }

  clear(to = 0): void {
    this.#start = to
  }

  /** Returns the bytes written since `end`, valid until the next write. */
  since(end: number): Buffer {
    const { length } = this.#bytes
    return this.#bytes.subarray(length - this.#start, length - end)
  }

  raw(byte: number): void {
    const offset = this.#claim(1)
    this.#bytes[offset] = byte
  }

  encoded(bytes: Uint8Array): void {
    const offset = this.#claim(bytes.length)
    this.#bytes.set(bytes, offset)
  }

  text(bytes: Uint8Array): void {
    const end = this.#start
    this.encoded(bytes)
    this.#textHead(end)
  }

  /** @throws NotHex */
  hex(value: unknown): void {
    const text = lowerHex(value)
    this.hexAt(text, 0, text.length)
  }

  /** @throws NotHex */
  hexAt(text: string, from: number, to: number): void {
    const end = this.#start
    if (!isHexPrefix(text, from) || (to - from) % 2 !== 0) throw new NotHex(text.slice(from, to))
    this.#digitsAt(text, from + 2, to)
    this.#textHead(end)
  }

  /**
   * Writes an integer, big-endian without leading zeros.
   *
   * @throws NotHex
   */
  quantity(value: unknown): void {
    const text = lowerHex(value)
    this.quantityAt(text, 0, text.length)
  }

  quantityAt(text: string, from: number, to: number): void {
    const end = this.#start
    if (!isHexPrefix(text, from)) throw new NotHex(text.slice(from, to))
    let first = from + 2
    while (first < to && text.charCodeAt(first) === ZERO) first++
    this.#digitsAt(text, first, to)
    this.#textHead(end)
  }

  list(end: number): void {
    this.#head(LIST, this.#start - end)
  }

  wrap(end: number): void {
    this.#textHead(end)
  }

  /**
   * Writes hex digits as bytes. If their number is odd, the first digit is a byte of its own. For a few dozen bytes
   * this is faster than Node's decoder.
   */
  #digitsAt(text: string, from: number, to: number): void {
    const length = (to - from + 1) >> 1
    let offset = this.#claim(length)
    const bytes = this.#bytes
    if (length > LONGEST_DECODED_HERE && (to - from) % 2 === 0) {
      if (bytes.write(text.slice(from, to), offset, length, 'hex') !== length) throw new NotHex(text.slice(from, to))
      return
    }
    let valid = 0
    let next = from
    if ((to - from) % 2 === 1) {
      const digit = DIGITS[text.charCodeAt(next++)] ?? -1
      valid |= digit
      bytes[offset++] = digit
    }
    while (next < to) {
      const high = DIGITS[text.charCodeAt(next++)] ?? -1
      const low = DIGITS[text.charCodeAt(next++)] ?? -1
      valid |= high | low
      bytes[offset++] = (high << 4) | low
    }
    if (valid < 0) throw new NotHex(text.slice(from, to))
  }

  #textHead(end: number): void {
    const length = this.#start - end
    if (length === 1 && present(this.#bytes[this.#bytes.length - this.#start]) < TEXT) return
    this.#head(TEXT, length)
  }

  #head(base: number, length: number): void {
    if (length < LONG) {
      this.raw(base + length)
      return
    }
    let count = 0
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) {
      this.raw(rest % 256)
      count += 1
    }
    this.raw(base + LONG - 1 + count)
  }

  #claim(count: number): number {
    const needed = this.#start + count
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, needed))
      this.since(0).copy(larger, larger.length - this.#start)
      this.#bytes = larger
    }
    this.#start = needed
    return this.#bytes.length - needed
  }
}
