import type { Response } from 'express'
import { HttpFailure } from '../http/http-failure.ts'

/** What is written in one go. */
const CHUNK_LENGTH = 65_536

/** The reader is cut off. */
export class SlowReader extends HttpFailure {
  override readonly name = 'SlowReader'

  constructor(message: string) {
    super(408, message)
  }
}

/**
 * Writes pieces of text as fast as the reader takes them and never ahead of it. Throws `SlowReader` when the reader has
 * taken nothing for `stallMs`, and the signal's reason when that aborts.
 */
export async function sendChunks(
  response: Response,
  pieces: AsyncIterable<Iterable<string>>,
  { signal, stallMs }: { signal: AbortSignal; stallMs: number },
): Promise<void> {
  const drained = drainWaiter(response, signal, stallMs)
  let chunk = ''
  for await (const group of pieces) {
    for (const piece of group) {
      chunk += piece
      if (chunk.length < CHUNK_LENGTH) continue
      signal.throwIfAborted()
      if (!response.write(chunk)) await drained()
      chunk = ''
    }
  }
  signal.throwIfAborted()
  if (chunk !== '' && !response.write(chunk)) await drained()
}

/**
 * Waits for the next `drain`. One listener serves the whole response: the compression middleware takes listeners over
 * to its own stream and never gives them back.
 */
function drainWaiter(response: Response, signal: AbortSignal, stallMs: number): () => Promise<void> {
  let resume: (() => void) | null = null
  response.on('drain', () => resume?.())
  return () =>
    new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        resume = null
        finish()
      }
      const abort = () => settle(() => reject(signal.reason))
      const timer = setTimeout(() => settle(() => reject(new SlowReader('the reader takes nothing'))), stallMs)
      resume = () => settle(resolve)
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
    })
}
