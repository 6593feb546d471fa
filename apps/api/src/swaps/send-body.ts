import type { ServerResponse } from 'node:http'
import { HOUR, present, SECOND } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'
import { withFile } from './day/whole-files.ts'
import type { BodyPart, FilePart } from './list-body.ts'

/** Bytes per read of a file for the first readers. A response holds two chunks. */
const LONG_CHUNK = 262_144
/** The same for further readers. */
const SHORT_CHUNK = 32_768
const MOST_LONG = 64

/** Chooses the chunk length per reader. Long chunks cost less work, but more memory while they wait. */
export class Chunks {
  #long = 0

  /** Returns the length of a reader's chunks. The caller gives it back later. */
  take(): number {
    if (this.#long === MOST_LONG) return SHORT_CHUNK
    this.#long++
    return LONG_CHUNK
  }

  giveBack(length: number): void {
    if (length === LONG_CHUNK) this.#long--
  }
}

/** How slow a reader may be. */
export interface Patience {
  /** A reader that takes nothing for this long is cut off. */
  stallMs: number
  /** After this time a reader that took less than `minBytesPerS` is cut off. */
  patientMs: number
  minBytesPerS: number
}

export const PATIENCE: Patience = { stallMs: 60 * SECOND, patientMs: HOUR, minBytesPerS: 200_000 }

/** The reader is cut off. */
export class SlowReader extends HttpFailure {
  override readonly name = 'SlowReader'

  constructor(message: string) {
    super(408, message)
  }
}

export interface SendOptions {
  patience: Patience
  signal: AbortSignal
  /** Bytes per read of a file, and the most of one write. */
  chunk: number
  /** Resolves when the next write may block the process. */
  turn: () => Promise<void>
  /** Called with the number of bytes that the reader took. */
  onTaken: (bytes: number) => void
}

/**
 * Writes a body as fast as the reader takes it, at most two chunks ahead.
 *
 * @throws SlowReader; the signal's reason when it aborts
 */
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
      // In chunks, because a reader that takes no whole write for a while counts as stalled.
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
  readonly #patience: Patience
  readonly #signal: AbortSignal
  readonly #chunk: number
  readonly #turn: () => Promise<void>
  readonly #onTaken: (bytes: number) => void
  readonly #buffers = [Buffer.alloc(0), Buffer.alloc(0)]
  #pending: Promise<void>[] = []
  #used = 0
  #sent = 0
  readonly #startedAt = performance.now()

  constructor(response: ServerResponse, { patience, signal, chunk, turn, onTaken }: SendOptions) {
    this.#response = response
    this.#patience = patience
    this.#signal = signal
    this.#chunk = chunk
    this.#turn = turn
    this.#onTaken = onTaken
  }

  /** Returns a buffer that no write uses any more, of this length or of a chunk. */
  async buffer(needed: number): Promise<Buffer> {
    await this.#room()
    const length = Math.min(needed, this.#chunk)
    this.#used = 1 - this.#used
    let buffer = present(this.#buffers[this.#used])
    if (buffer.length < length) {
      buffer = Buffer.allocUnsafeSlow(length === this.#chunk ? length : Math.min(2 * length, this.#chunk))
      this.#buffers[this.#used] = buffer
    }
    return buffer.subarray(0, length)
  }

  async write(bytes: Buffer): Promise<void> {
    await this.#room()
    await this.#turn()
    this.#signal.throwIfAborted()
    this.#pending.push(this.#taken(bytes))
    // A reader that stops sees no error here. One that continues gets the error when it waits.
    for (const write of this.#pending) write.catch(() => undefined)
    this.#sent += bytes.length
    this.#checkSpeed()
  }

  /** Waits until everything was taken. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending)
  }

  async #room(): Promise<void> {
    if (this.#pending.length < 2) return
    await this.#pending.shift()
  }

  /** Settles when the bytes were handed to the system. */
  #taken(bytes: Buffer): Promise<void> {
    const { stallMs } = this.#patience
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        this.#signal.removeEventListener('abort', abort)
        finish()
      }
      const abort = () => settle(() => reject(this.#signal.reason))
      const timer = setTimeout(() => settle(() => reject(new SlowReader('the reader takes nothing'))), stallMs)
      if (this.#signal.aborted) {
        abort()
        return
      }
      this.#signal.addEventListener('abort', abort, { once: true })
      this.#response.write(bytes, (error) => {
        if (!error) this.#onTaken(bytes.length)
        settle(error ? () => reject(error) : resolve)
      })
    })
  }

  #checkSpeed(): void {
    const { patientMs, minBytesPerS } = this.#patience
    const passedMs = performance.now() - this.#startedAt
    if (passedMs > patientMs && this.#sent < (passedMs / SECOND) * minBytesPerS) {
      throw new SlowReader('the list takes too long')
    }
  }
}
