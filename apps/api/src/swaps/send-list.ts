import type { ServerResponse } from 'node:http'
import { SECOND } from '@dexfeed/dex'
import type { Part } from './day/piece.ts'
import { readFully } from './day/row-store.ts'
import { type Patience, SlowReader } from './list-readers.ts'

/** Long chunks cost less work, but more memory. */
const LONG_CHUNK = 262_144
const SHORT_CHUNK = 32_768
const MAX_LONG = 64
/** The first chunk is shorter, so that a reader soon has something: blocks at the start may have to be deflated. */
const FIRST_CHUNK = 16_384

/** Returns how many bytes a new reader gets at a time; it holds twice as many. */
export function chunkLength(openReaders: number): number {
  return openReaders <= MAX_LONG ? LONG_CHUNK : SHORT_CHUNK
}

export interface SendOptions {
  patience: Patience
  signal: AbortSignal
  chunk: number
  turn: () => Promise<void>
  onTaken: (bytes: number) => void
}

/**
 * Writes a list as fast as the reader takes it: one chunk is taken while the next is filled.
 *
 * @throws SlowReader; the signal's reason
 */
export async function sendList(response: ServerResponse, parts: Iterable<Part>, options: SendOptions): Promise<void> {
  const { patience, signal, turn, onTaken } = options
  const startedAt = performance.now()
  let sent = 0
  let taken: Promise<void> = Promise.resolve()
  for await (const bytes of chunksOf(parts, options.chunk)) {
    await taken
    await turn()
    signal.throwIfAborted()
    taken = write(response, bytes, patience.stallMs, signal).then(() => onTaken(bytes.length))
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
async function* chunksOf(parts: Iterable<Part>, length: number): AsyncGenerator<Buffer> {
  let filling = Buffer.allocUnsafeSlow(length)
  let sending = Buffer.allocUnsafeSlow(length)
  let end = Math.min(length, FIRST_CHUNK)
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
      end = length
      const sent = sending
      sending = filling
      filling = sent
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
