import { get as httpGet, type IncomingMessage } from 'node:http'
import type { StreamData, StreamEventName } from '@dexfeed/contract'
import { WebSocket } from 'ws'

export type Received = {
  [Name in StreamEventName]: { event: Name; id?: string; data: StreamData[Name] }
}[StreamEventName]

/** A listener to `/v1/stream` over either transport. It does not use our client. */
export interface TestListener {
  received: Received[]
  lastId: string | null
  /** Resolves when the connection ends, with the close code of a WebSocket. */
  ended: Promise<number | null>
  /** Stops reading without closing. */
  pause(): void
  resume(): void
  close(): void
}

export interface ListenOptions {
  query?: string
  lastId?: string | null
  /** The source address of the connection. */
  from?: string
}

/** Listens by Server-Sent Events. */
export function listenToEvents(base: string, { query = '', lastId, from }: ListenOptions = {}): Promise<TestListener> {
  return new Promise((resolve, reject) => {
    const headers = lastId ? { 'Last-Event-ID': lastId } : {}
    const url = `${base}/v1/stream?${query}`
    const request = httpGet(url, { agent: false, headers, ...(from && { localAddress: from }) }, (response) => {
      if (response.statusCode === 200) resolve(readEvents(response, () => request.destroy()))
      else reject(new Error(String(response.statusCode)))
    })
    request.on('error', reject)
  })
}

function readEvents(response: IncomingMessage, close: () => void): TestListener {
  const ended = new Promise<null>((resolve) => response.once('close', () => resolve(null)))
  const listener: TestListener = {
    received: [],
    lastId: null,
    ended,
    close,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
  }
  let text = ''
  response.on('error', () => undefined)
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const fields = new Map(part.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
      const [event, data, id] = [fields.get('event'), fields.get('data'), fields.get('id')]
      if (id !== undefined) listener.lastId = id
      if (event === undefined || data === undefined) continue
      listener.received.push({ event, data: JSON.parse(data), ...(id !== undefined && { id }) } as Received)
    }
  })
  return listener
}

/** Listens over a WebSocket. */
export function listenBySocket(base: string, { query = '', lastId, from }: ListenOptions = {}): Promise<TestListener> {
  const parameters = lastId ? `${query}&last_event_id=${lastId}` : query
  const socket = new WebSocket(`${base.replace('http', 'ws')}/v1/stream?${parameters}`, {
    ...(from && { localAddress: from }),
  })
  const listener: TestListener = {
    received: [],
    lastId: null,
    ended: new Promise((resolve) => socket.once('close', resolve)),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.terminate(),
  }
  socket.on('message', (data) => {
    for (const event of JSON.parse(String(data)) as Received[]) {
      if ('id' in event && event.id !== undefined) listener.lastId = event.id
      listener.received.push(event)
    }
  })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(listener))
    socket.on('error', reject)
  })
}
