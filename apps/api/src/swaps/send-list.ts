import type { ServerResponse } from 'node:http'
import { SECOND } from '@dexfeed/dex'
import type { Part } from './day/piece.ts'
import { readFully } from './day/row-store.ts'
import { type Patience, SlowReader } from './list-readers.ts'

/** Long chunks cost less work, but more memory. */
const LONG_CHUNK = 131_072
const SHORT_CHUNK = 32_768
/** The first chunk is shorter, so that a reader soon has something: blocks at the start may have to be deflated. */
const FIRST_CHUNK = 16_384
const FAST_BYTES = 1_048_576
const FAST_MS = 250

/**
 * Gives long chunks to a reader that takes FAST_BYTES in FAST_MS. Each reader holds two chunks, so all of them together
 * hold no more than the API sends in a sixteenth of a second, and 64 KiB for each slow one.
 */
export class ChunkLength {
  current = SHORT_CHUNK
  #since = performance.now()
  #taken = 0

  took(bytes: number): void {
    this.#taken += bytes
    const isOver = performance.now() - this.#since > FAST_MS
    if (!isOver && this.#taken < FAST_BYTES) return
    this.current = isOver ? SHORT_CHUNK : LONG_CHUNK
    this.#since = performance.now()
    this.#taken = 0
  }
}

export interface SendOptions {
  patience: Patience
  signal: AbortSignal
  /** Absent for one that follows the reader's speed. */
  chunk?: Pick<ChunkLength, 'current' | 'took'>
  turn: () => Promise<void>
  onTaken: (bytes: number) => void
}

/**
 * Writes a list as fast as the reader takes it: one chunk is taken while the next is filled.
 *
 * @throws SlowReader; the signal's reason
 */
export async function sendList(response: ServerResponse, parts: Iterable<Part>, options: SendOptions): Promise<void> {
  const { patience, signal, turn, onTaken, chunk = new ChunkLength() } = options
  const startedAt = performance.now()
  let sent = 0
  let taken: Promise<void> = Promise.resolve()
  for await (const bytes of chunksOf(parts, chunk)) {
    await taken
    await turn()
    signal.throwIfAborted()
    taken = write(response, bytes, patience.stallMs, signal).then(() => {
      chunk.took(bytes.length)
      onTaken(bytes.length)
    })
    // If nothing waits for a failed write any more, its error is not unhandled.
    taken.catch(() => undefined)
    sent += bytes.length
    const passedMs = performance.now() - startedAt
    if (passedMs > patience.patientMs && sent < (passedMs / SECOND) * patience.minBytesPerS) {
      throw new SlowReader('the list takes too long')
    }
  }
  await taken
}

/** Fills two buffers in turn. */
async function* chunksOf(parts: Iterable<Part>, chunk: { current: number }): AsyncGenerator<Buffer> {
  let filling = Buffer.allocUnsafeSlow(chunk.current)
  let sending = filling.subarray(0, 0)
  let end = Math.min(chunk.current, FIRST_CHUNK)
  let used = 0
  for (const part of parts) {
    const source = typeof part === 'function' ? await part() : part
    for (let at = 0; at < source.length; ) {
      const room = filling.subarray(used, Math.min(end, used + source.length - at))
      if ('file' in source) await readFully(source.file, room, source.start + at)
      else source.copy(room, 0, at)
      at += room.length
      used += room.length
      if (used < end) continue
      yield filling.subarray(0, end)
      end = chunk.current
      const sent = sending
      sending = filling
      filling = sent.length === end ? sent : Buffer.allocUnsafeSlow(end)
      used = 0
    }
  }
  if (used > 0) yield filling.subarray(0, used)
}

function write(response: ServerResponse, bytes: Buffer, stallMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      finish()
    }
    const abort = () => settle(() => reject(signal.reason))
    const timer = setTimeout(() => settle(() => reject(new SlowReader('the reader takes nothing'))), stallMs)
    signal.addEventListener('abort', abort, { once: true })
    response.write(bytes, (error) => settle(error ? () => reject(error) : resolve))
  })
}
