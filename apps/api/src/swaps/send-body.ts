import type { ServerResponse } from 'node:http'
import { HOUR, present, SECOND } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'
import { withFile } from './day/whole-files.ts'
import type { BodyPart, FilePart } from './list-body.ts'

/** Bytes per read of a file, for the first readers and for further ones. A response holds two chunks. */
const LONG_CHUNK = 262_144
const SHORT_CHUNK = 32_768
const MAX_LONG = 64

/** Chooses the chunk length per reader. Long chunks cost less work, but more memory. */
export class Chunks {
  #long = 0

  take(): number {
    if (this.#long === MAX_LONG) return SHORT_CHUNK
    this.#long++
    return LONG_CHUNK
  }

  giveBack(length: number): void {
    if (length === LONG_CHUNK) this.#long--
  }
}

export interface Patience {
  stallMs: number
  /** After this time a reader that took less than `minBytesPerS` is cut off. */
  patientMs: number
  minBytesPerS: number
}

export const PATIENCE: Patience = { stallMs: 60 * SECOND, patientMs: HOUR, minBytesPerS: 200_000 }

export class SlowReader extends HttpFailure {
  override readonly name = 'SlowReader'

  constructor(message: string) {
    super(408, message)
  }
}

export interface SendOptions {
  patience: Patience
  signal: AbortSignal
  chunk: number
  turn: () => Promise<void>
  onTaken: (bytes: number) => void
}

/** Writes a body as fast as the reader takes it, at most two chunks ahead. @throws SlowReader; the signal's reason */
export async function sendBody(
  response: ServerResponse,
  parts: Iterable<BodyPart>,
  options: SendOptions,
): Promise<void> {
  const writer = new PatientWriter(response, options)
  for (const part of parts) {
    if ('path' in part) await sendFile(writer, part)
    else {
      const bytes = await part.bytes()
      // In chunks: a reader that takes no whole write for a while counts as stalled.
      for (let next = 0; next < bytes.length; next += options.chunk) {
        await writer.write(bytes.subarray(next, next + options.chunk))
      }
    }
  }
  await writer.flush()
}

async function sendFile(writer: PatientWriter, { path, start, length }: FilePart): Promise<void> {
  await withFile(path, async (file) => {
    for (let at = start, end = start + length; at < end; ) {
      const buffer = await writer.buffer(end - at)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) throw new Error(`${path} is shorter than it was`)
      await writer.write(buffer.subarray(0, bytesRead))
      at += bytesRead
    }
  })
}

/** At most two writes at a time, each from its own buffer. */
class PatientWriter {
  readonly #response: ServerResponse
  readonly #options: SendOptions
  readonly #buffers = [Buffer.alloc(0), Buffer.alloc(0)]
  #pending: Promise<void>[] = []
  #used = 0
  #sent = 0
  readonly #startedAt = performance.now()

  constructor(response: ServerResponse, options: SendOptions) {
    this.#response = response
    this.#options = options
  }

  async buffer(needed: number): Promise<Buffer> {
    await this.#room()
    const { chunk } = this.#options
    const length = Math.min(needed, chunk)
    this.#used = 1 - this.#used
    let buffer = present(this.#buffers[this.#used])
    if (buffer.length < length) {
      buffer = Buffer.allocUnsafeSlow(length === chunk ? length : Math.min(2 * length, chunk))
      this.#buffers[this.#used] = buffer
    }
    return buffer.subarray(0, length)
  }

  async write(bytes: Buffer): Promise<void> {
    await this.#room()
    await this.#options.turn()
    this.#options.signal.throwIfAborted()
    this.#pending.push(this.#taken(bytes))
    // If nothing waits for a failed write any more, its error is not unhandled.
    for (const write of this.#pending) write.catch(() => undefined)
    this.#sent += bytes.length
    this.#checkSpeed()
  }

  async flush(): Promise<void> {
    await Promise.all(this.#pending)
  }

  async #room(): Promise<void> {
    if (this.#pending.length < 2) return
    await this.#pending.shift()
  }

  #taken(bytes: Buffer): Promise<void> {
    const { patience, signal, onTaken } = this.#options
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        finish()
      }
      const abort = () => settle(() => reject(signal.reason))
      const slow = () => settle(() => reject(new SlowReader('the reader takes nothing')))
      const timer = setTimeout(slow, patience.stallMs)
      if (signal.aborted) {
        abort()
        return
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#response.write(bytes, (error) => {
        if (!error) onTaken(bytes.length)
        settle(error ? () => reject(error) : resolve)
      })
    })
  }

  #checkSpeed(): void {
    const { patientMs, minBytesPerS } = this.#options.patience
    const passedMs = performance.now() - this.#startedAt
    if (passedMs > patientMs && this.#sent < (passedMs / SECOND) * minBytesPerS) {
      throw new SlowReader('the list takes too long')
    }
  }
}
