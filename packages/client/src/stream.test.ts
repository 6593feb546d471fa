import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DexfeedError } from './dexfeed-error.ts'
import { readEvents } from './event-stream.ts'
import { type StreamSource, streamEvents } from './stream.ts'

const encode = (text: string) => new TextEncoder().encode(text)

/** A body of the given pieces; without `ends` it then stays open and silent. */
function body(pieces: readonly Uint8Array[], { ends = true } = {}, signal?: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      if (ends) controller.close()
      signal?.addEventListener('abort', () => controller.error(new Error('aborted')))
    },
  })
}

async function all<T>(events: AsyncGenerator<T, undefined>): Promise<T[]> {
  const found: T[] = []
  for await (const event of events) found.push(event)
  return found
}

describe('events of a body', () => {
  const TEXT =
    'retry: 2000\n\n:\n\nid: a\nevent: head\ndata: {"é":"\u{1F600}"}\n\nevent:swap\ndata:1\ndata: 2\n\nid\ndata\n\ndata: unfinished\n'
  const EVENTS = [
    { event: 'head', data: '{"é":"\u{1F600}"}', lastId: 'a' },
    { event: 'swap', data: '1\n2', lastId: 'a' },
    { event: 'message', data: '', lastId: '' },
  ]

  it.each(['\n', '\r\n', '\r'])('are the same for any cuts, with lines that end in %j', async (end) => {
    const bytes = encode(TEXT.replaceAll('\n', end))
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const ends = [0, ...places.sort((a, b) => a - b), bytes.length]
        const pieces = ends.slice(1).map((to, at) => bytes.subarray(ends[at], to))
        expect(await all(readEvents(body(pieces), () => undefined))).toEqual(EVENTS)
      }),
    )
  })
})

describe('a stream', () => {
  const head = (id: string) => encode(`id: ${id}\nevent: head\ndata: {}\n\nevent: swap\ndata: {}\n\n`)
  const sourceOf = (...connects: StreamSource['connect'][]) => {
    const ids: (string | null)[] = []
    const pauses: number[] = []
    const connect: StreamSource['connect'] = (lastId, signal) => {
      ids.push(lastId)
      const next = connects[ids.length - 1]
      if (next === undefined) throw new DexfeedError('refused', { status: 400 })
      return next(lastId, signal)
    }
    return { ids, pauses, connect, pause: async (ms: number) => void pauses.push(ms) }
  }

  it('reconnects with the last id after a connection that ends, breaks or falls silent, until it is refused', async () => {
    const source = sourceOf(
      // The server takes longer to respond than the stream may be silent.
      () => new Promise((resolve) => setTimeout(() => resolve(new Response(body([head('a')]))), 60)),
      async () => new Response(body([head('a'), head('b')], { ends: false }, AbortSignal.timeout(1))),
      async (_, signal) => new Response(body([head('c')], { ends: false }, signal)),
    )
    const events: unknown[] = []
    const reading = (async () => {
      for await (const event of streamEvents({ ...source, silentMs: 20 }, { lastEventId: 'first' })) events.push(event)
    })()
    await expect(reading).rejects.toMatchObject({ status: 400 })
    expect(source.ids).toEqual(['first', 'a', 'b', 'c'])
    expect(source.pauses).toHaveLength(3)
    expect(events).toContainEqual({ event: 'head', id: 'c', data: {} })
  })

  it('lets the reader take longer for an event than the server may be silent', async () => {
    const source = sourceOf(
      async (_, signal) => new Response(body([head('a'), head('b'), head('c')], { ends: false }, signal)),
    )
    const events: unknown[] = []
    const reading = (async () => {
      for await (const event of streamEvents({ ...source, silentMs: 20 }, {})) {
        events.push(event)
        await new Promise((resolve) => setTimeout(resolve, 60))
      }
    })()
    await expect(reading).rejects.toMatchObject({ status: 400 })
    expect(events).toHaveLength(6)
    expect(source.ids).toEqual([null, 'c'])
  })

  it("ends with its signal's reason, and closes the connection when the caller stops reading", async () => {
    const leaving = new AbortController()
    const signals: AbortSignal[] = []
    const connect: StreamSource['connect'] = async (_, signal) => {
      signals.push(signal)
      return new Response(body([head('a')], { ends: false }, signal))
    }
    const aborted = (async () => {
      for await (const _ of streamEvents({ connect }, { signal: leaving.signal })) leaving.abort(new Error('enough'))
    })()
    await expect(aborted).rejects.toThrow('enough')
    for await (const _ of streamEvents({ connect }, {})) break
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })
})
