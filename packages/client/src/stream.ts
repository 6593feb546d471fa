import { DexfeedError } from './dexfeed-error.ts'
import { readEvents } from './event-stream.ts'
import { pauseFor } from './retry.ts'

/** The server sends a heartbeat every 15 seconds. */
const SILENT_MS = 45_000

interface AnyEvent {
  event: string
  id?: string
  data: unknown
}

export interface StreamOptions {
  /** Id of the event after which to resume. */
  lastEventId?: string
  signal?: AbortSignal
}

export interface StreamSource {
  /** Returns a response whose body is the stream. @throws if the failure is permanent */
  connect(lastEventId: string | null, signal: AbortSignal): Promise<Response>
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  silentMs?: number
}

/**
 * Yields the events of an endless stream. Reconnects when the connection breaks, ends or falls silent, and resumes
 * after the last event with an id, so that later events may come twice.
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
      // Start the timer only now, because `connect` may have paused as the server required.
      onBytes()
      if (response.body === null) throw new DexfeedError('the response has no body', { status: response.status })
      for await (const { event, data, lastId: id } of untilCut(readEvents(response.body, onBytes), signal)) {
        failures = 0
        const isNew = id !== null && id !== lastId
        // The server is not silent while the caller processes the event.
        clearTimeout(silence)
        yield { event, ...(isNew && { id }), data: JSON.parse(data) } satisfies AnyEvent as Event
        // The caller has processed this event only when it requests the next one.
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

/** Ends, instead of throwing, when the body is cut off. */
async function* untilCut<T>(events: AsyncGenerator<T, undefined>, signal: AbortSignal | undefined) {
  try {
    yield* events
  } catch {
    signal?.throwIfAborted()
  }
}
