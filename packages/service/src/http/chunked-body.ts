const CRLF = '\r\n'
const SIZE_LINE = /^([\da-f]{1,6})[ \t]*(?:;.*)?$/i
const MAX_LINE = 256
/** In bytes, more than the largest body of any route. */
const MAX_BODY = 262_144
/** A chunk costs as much as reading some kilobytes. */
const MAX_CHUNKS = 512

export class BadBody extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Reads a body in the chunked transfer coding (RFC 9112, section 7.1). Drops trailers. */
export class ChunkedBody {
  readonly #parts: Buffer[] = []
  #length = 0
  #chunks = 0
  #pending: Buffer = Buffer.alloc(0)
  #isInTrailer = false

  /**
   * Takes the next bytes of a connection. Returns the body and the bytes after it once the body is complete, else null.
   *
   * @throws BadBody if the body is malformed, too long, or in too many pieces
   */
  take(bytes: Buffer): { body: Buffer; rest: Buffer } | null {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    for (;;) {
      const end = this.#pending.indexOf(CRLF)
      if (end > MAX_LINE || (end < 0 && this.#pending.length > MAX_LINE)) throw malformed()
      if (end < 0) return null
      const start = end + CRLF.length
      if (this.#isInTrailer) {
        this.#pending = this.#pending.subarray(start)
        if (end === 0) return { body: Buffer.concat(this.#parts), rest: this.#pending }
        this.#count()
      } else if (!this.#takeChunk(sizeOf(this.#pending.toString('latin1', 0, end)), start)) return null
    }
  }

  #takeChunk(size: number, start: number): boolean {
    if (this.#length + size > MAX_BODY) throw new BadBody(413, 'the request is too large')
    if (size === 0) {
      this.#isInTrailer = true
      this.#pending = this.#pending.subarray(start)
      return true
    }
    const end = start + size
    if (this.#pending.length < end + CRLF.length) return false
    if (this.#pending.toString('latin1', end, end + CRLF.length) !== CRLF) throw malformed()
    this.#count()
    this.#parts.push(this.#pending.subarray(start, end))
    this.#length += size
    this.#pending = this.#pending.subarray(end + CRLF.length)
    return true
  }

  #count(): void {
    if (++this.#chunks > MAX_CHUNKS) throw new BadBody(413, `the body has more than ${MAX_CHUNKS} chunks`)
  }
}

function sizeOf(line: string): number {
  const [, digits] = SIZE_LINE.exec(line) ?? []
  if (digits === undefined) throw malformed()
  return Number.parseInt(digits, 16)
}

function malformed(): BadBody {
  return new BadBody(400, 'the request is malformed')
}
