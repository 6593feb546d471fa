import { DexfeedError } from './dexfeed-error.ts'
import { readEvents } from './event-stream.ts'
import { pauseFor } from './retry.ts'

/** The server sends a sign of life every 15 seconds. */
const SILENT_MS = 45_000

interface AnyEvent {
  event: string
  id?: string
  data: unknown
}

export interface StreamOptions {
  /** Resume after this event. */
  lastEventId?: string
  signal?: AbortSignal
}

export interface StreamSource {
  /** Returns a response with a stream. @throws if a failure is permanent */
  connect(lastEventId: string | null, signal: AbortSignal): Promise<Response>
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  silentMs?: number
}

/**
 * Yields the events of an endless stream. A connection that breaks, ends, or falls silent is replaced, and the stream
 * resumes after the last event with an id: later ones may come twice.
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
      // Only now: the server may have required a pause.
      onBytes()
      if (response.body === null) throw new DexfeedError('the response has no body', { status: response.status })
      for await (const { event, data, lastId: id } of untilCut(readEvents(response.body, onBytes), signal)) {
        failures = 0
        const isNew = id !== null && id !== lastId
        // The time of the reader is not silence of the server.
        clearTimeout(silence)
        yield { event, ...(isNew && { id }), data: JSON.parse(data) } satisfies AnyEvent as Event
        // The reader has processed this event only when it requests the next.
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

/** A body that is cut off ends. */
async function* untilCut<T>(events: AsyncGenerator<T, undefined>, signal: AbortSignal | undefined) {
  try {
    yield* events
  } catch {
    signal?.throwIfAborted()
  }
}
