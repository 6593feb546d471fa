import type { ServerResponse } from 'node:http'
import type { Range } from './day/cell-store.ts'
import { type ListReader, SlowReader } from './list-readers.ts'

/** All that a reader holds in memory. 1,024 of them: 96 MB. */
export const CHUNK_BYTES = 98_304

type Parts = readonly (Range | Promise<Buffer>)[]

/** Writes a body, each chunk once the one before it was taken. @throws SlowReader; the reason why the reader was cut */
export async function sendList(
  response: ServerResponse,
  parts: Parts,
  { reader, stallMs, turn }: { reader: ListReader; stallMs: number; turn: () => Promise<void> },
): Promise<void> {
  const { signal } = reader
  const stalled = setTimeout(() => reader.cut(new SlowReader('the reader takes nothing')), stallMs)
  reader.begin()
  try {
    for await (const chunk of chunksOf(parts)) {
      await turn()
      await new Promise<void>((resolve, reject) => {
        signal.throwIfAborted()
        signal.onabort = () => reject(signal.reason)
        response.write(chunk, (error) => (error ? reject(error) : resolve()))
      })
      stalled.refresh()
      reader.took(chunk.length)
    }
  } finally {
    clearTimeout(stalled)
  }
}

/** All chunks of files share a buffer. */
async function* chunksOf(parts: Parts): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  for (const part of parts) {
    if (part instanceof Promise) yield part
    else {
      for (let at = 0; at < part.length; at += CHUNK_BYTES) {
        yield part.file.read(buffer.subarray(0, part.length - at), part.start + at)
      }
    }
  }
}
