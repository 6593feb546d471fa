import { isAscii } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'

const inflate = promisify(gunzip)

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

/** More is not taken on an answer's word alone. */
const MOST_EXPECTED_BYTES = 16 * 1024 * 1024

export interface HttpResponse {
  statusCode: number
  headers: IncomingHttpHeaders
  text: string
  /** Size of the body as it came. */
  bytes: number
}

/** Of the process: an answer is gathered in one of them no longer than it takes to come. */
const BUFFERS = new BodyBuffers()

/**
 * Receives one whole answer over the connections of a pool, which bounds its size.
 *
 * @param maxInflated to so many bytes a compressed body may grow
 * @throws what undici and zlib throw, when no whole answer came
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

/** Gathers the body of one answer. */
class ResponseBody extends Writable {
  statusCode = 0
  headers: IncomingHttpHeaders = {}
  #buffer: Buffer | null = null
  #length = 0

  constructor() {
    // Nobody waits for what is written, so nothing is held back.
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

  /** What has come; valid until `release`. */
  get content(): Buffer {
    return this.#buffer?.subarray(0, this.#length) ?? Buffer.alloc(0)
  }

  /** Lets go of the content. */
  release(): void {
    if (this.#buffer !== null) BUFFERS.giveBack(this.#buffer)
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
      BUFFERS.giveBack(buffer)
    }
    this.#buffer = larger
    return larger
  }
}

/** Almost every answer is ASCII, which needs no decoding. */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8')
}
