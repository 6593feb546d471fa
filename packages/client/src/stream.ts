import { DexfeedError } from './dexfeed-error.ts'
import { readEvents } from './event-stream.ts'
import { pauseFor } from './retry.ts'

/** A server shows every 15 seconds that it is there. */
const SILENT_MS = 45_000

/** An event with its name; who knows its `id` can go on from there. */
interface AnyEvent {
  event: string
  id?: string
  data: unknown
}

export interface StreamOptions {
  /** Goes on behind the event that had it. */
  lastEventId?: string
  signal?: AbortSignal
}

/** How a stream is asked for. */
export interface StreamSource {
  /** One answer that is a stream; what fails for good is thrown. */
  connect(lastEventId: string | null, signal: AbortSignal): Promise<Response>
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  silentMs?: number
}

/**
 * The events of a stream without end. A connection that breaks, ends, or falls silent is made anew, and the stream goes on
 * behind the last event that had an id: what came after it may come once more.
 *
 * @throws what `connect` throws; the signal's reason
 */
export async function* streamEvents<Event>(
  { connect, pause = pauseFor, silentMs = SILENT_MS }: StreamSource,
  { lastEventId, signal }: StreamOptions,
): AsyncGenerator<Event, undefined> {
  let lastId = lastEventId ?? null
  for (let failures = 0; ; ) {
    signal?.throwIfAborted()
    const connection = new AbortController()
    const leave = () => connection.abort(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    let silence: ReturnType<typeof setTimeout> | undefined
    const onBytes = () => {
      clearTimeout(silence)
      silence = setTimeout(() => connection.abort(), silentMs)
    }
    try {
      const response = await connect(lastId, connection.signal)
      // Not before: who is told to come later waits for longer than this.
      onBytes()
      if (response.body === null) throw new DexfeedError('the answer is no stream', { status: response.status })
      for await (const { event, data, lastId: id } of broken(readEvents(response.body, onBytes), signal)) {
        failures = 0
        const isNew = id !== null && id !== lastId
        // The time that the reader takes is no silence of the server.
        clearTimeout(silence)
        yield { event, ...(isNew && { id }), data: JSON.parse(data) } satisfies AnyEvent as Event
        // Not before whoever reads has come for the next one.
        lastId = id ?? lastId
        onBytes()
      }
    } finally {
      clearTimeout(silence)
      signal?.removeEventListener('abort', leave)
      connection.abort()
    }
    failures++
    await pause(Math.min(250 * 2 ** failures, 10_000) * (0.75 + Math.random() / 2), signal)
  }
}

/** A body that breaks off is one that ends. */
async function* broken<T>(events: AsyncGenerator<T, undefined>, signal: AbortSignal | undefined) {
  try {
    yield* events
  } catch {
    signal?.throwIfAborted()
  }
}
