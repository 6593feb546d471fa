import { isAscii } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { BodyBuffers } from './body-buffers.ts'

const inflate = promisify(gunzip)

/** More is not taken on an answer's word alone. */
const MOST_EXPECTED_BYTES = 16 * 1024 * 1024

export interface HttpAnswer {
  statusCode: number
  headers: IncomingHttpHeaders
  text: string
  /** Size of the body as it came. */
  bytes: number
}

/** Receives whole answers over the connections of a pool, one after the other into the same few buffers. */
export class AnswerReceiver {
  readonly #pool: Pick<Dispatcher, 'stream'>
  readonly #maxInflated: number
  readonly #buffers = new BodyBuffers()

  /** @param maxInflated to so many bytes a compressed body may grow; the pool bounds what comes */
  constructor(pool: Pick<Dispatcher, 'stream'>, maxInflated: number) {
    this.#pool = pool
    this.#maxInflated = maxInflated
  }

  /** @throws what undici and zlib throw, when no whole answer came */
  async receive(request: Dispatcher.RequestOptions): Promise<HttpAnswer> {
    const body = new AnswerBody(this.#buffers)
    try {
      await this.#pool.stream(request, (head) => body.begin(head))
      const { statusCode, headers, content } = body
      const isPacked = headers['content-encoding'] === 'gzip'
      const text = textOf(isPacked ? await inflate(content, { maxOutputLength: this.#maxInflated }) : content)
      return { statusCode, headers, text, bytes: content.length }
    } finally {
      body.release()
    }
  }
}

/** Gathers the body of one answer. */
class AnswerBody extends Writable {
  statusCode = 0
  headers: IncomingHttpHeaders = {}
  readonly #buffers: BodyBuffers
  #buffer: Buffer | null = null
  #length = 0

  constructor(buffers: BodyBuffers) {
    // Nobody waits for what is written, so nothing is held back.
    super({ highWaterMark: Number.MAX_SAFE_INTEGER })
    this.#buffers = buffers
  }

  begin({ statusCode, headers }: Pick<HttpAnswer, 'statusCode' | 'headers'>): this {
    this.statusCode = statusCode
    this.headers = headers
    const expected = Number(headers['content-length'])
    this.#buffer = this.#buffers.take(expected > 0 ? Math.min(expected, MOST_EXPECTED_BYTES) : 0)
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
    if (this.#buffer !== null) this.#buffers.giveBack(this.#buffer)
    this.#buffer = null
    this.#length = 0
    this.destroy()
  }

  #roomFor(length: number): Buffer {
    const buffer = this.#buffer
    if (buffer !== null && length <= buffer.length) return buffer
    const larger = this.#buffers.take(length)
    if (buffer !== null) {
      buffer.copy(larger, 0, 0, this.#length)
      this.#buffers.giveBack(buffer)
    }
    this.#buffer = larger
    return larger
  }
}

/** Almost every answer is ASCII, which needs no decoding. */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8')
}
