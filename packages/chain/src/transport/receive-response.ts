import { isAscii } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'

const inflate = promisify(gunzip)

const LEAST_BYTES = 64 * 1024
/** Larger responses are rare: their buffers are not kept. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024
const MOST_KEPT = 6

/**
 * Buffers for response bodies, reused. With a new buffer per response, the garbage collector scans the whole heap for
 * every 64 MB: external memory is counted by its size alone.
 */
export class BodyBuffers {
  /** Sorted by size, the smallest first. */
  readonly #free: Buffer[] = []

  /** Returns a buffer of at least this many bytes, with any content. */
  take(bytes: number): Buffer {
    const place = this.#free.findIndex(({ length }) => length >= bytes)
    const [found] = place < 0 ? [] : this.#free.splice(place, 1)
    return found ?? Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes))))
  }

  /** Returns a buffer to the pool; the caller must not use it any more. */
  put(buffer: Buffer): void {
    if (buffer.length > MOST_KEPT_BYTES) return
    this.#free.push(buffer)
    this.#free.sort((a, b) => a.length - b.length)
    if (this.#free.length > MOST_KEPT) this.#free.shift()
  }
}

/** A `content-length` is trusted up to this size. */
const MOST_EXPECTED_BYTES = 16 * 1024 * 1024

export interface HttpResponse {
  statusCode: number
  headers: IncomingHttpHeaders
  text: string
  /** Size of the body on the wire. */
  bytes: number
}

/** Shared by the process: a response holds a buffer only while it arrives. */
const BUFFERS = new BodyBuffers()

/**
 * Receives one complete response over a pool, which limits its size, decompressed to at most `maxInflated` bytes.
 * @throws what undici and zlib throw if the response is not complete
 */
export async function receiveResponse(
  pool: Pick<Dispatcher, 'stream'>,
  request: Dispatcher.RequestOptions,
  maxInflated: number,
): Promise<HttpResponse> {
  const body = new ResponseBody()
  try {
    await pool.stream(request, (head) => body.begin(head))
    const { statusCode, headers, content } = body
    const isPacked = headers['content-encoding'] === 'gzip'
    const text = textOf(isPacked ? await inflate(content, { maxOutputLength: maxInflated }) : content)
    return { statusCode, headers, text, bytes: content.length }
  } finally {
    body.release()
  }
}

class ResponseBody extends Writable {
  statusCode = 0
  headers: IncomingHttpHeaders = {}
  #buffer: Buffer | null = null
  #length = 0

  constructor() {
    // No backpressure: no caller waits for a write.
    super({ highWaterMark: Number.MAX_SAFE_INTEGER })
  }

  begin({ statusCode, headers }: Pick<HttpResponse, 'statusCode' | 'headers'>): this {
    this.statusCode = statusCode
    this.headers = headers
    const expected = Number(headers['content-length'])
    this.#buffer = BUFFERS.take(expected > 0 ? Math.min(expected, MOST_EXPECTED_BYTES) : 0)
    return this
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const length = this.#length + chunk.length
    chunk.copy(this.#roomFor(length), this.#length)
    this.#length = length
    done()
  }

  /** The bytes received so far; valid until `release`. */
  get content(): Buffer {
    return this.#buffer?.subarray(0, this.#length) ?? Buffer.alloc(0)
  }

  release(): void {
    if (this.#buffer !== null) BUFFERS.put(this.#buffer)
    this.#buffer = null
    this.#length = 0
    this.destroy()
  }

  #roomFor(length: number): Buffer {
    const buffer = this.#buffer
    if (buffer !== null && length <= buffer.length) return buffer
    const larger = BUFFERS.take(length)
    if (buffer !== null) {
      buffer.copy(larger, 0, 0, this.#length)
      BUFFERS.put(buffer)
    }
    this.#buffer = larger
    return larger
  }
}

/** Almost every response is ASCII, which needs no decoding. */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8')
}
