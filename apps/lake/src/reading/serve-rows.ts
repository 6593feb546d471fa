import type { IncomingMessage, ServerResponse } from 'node:http'
import { SECOND } from '@dexfeed/dex'
import { closeServer, createServer, type Logger, listenOn, urlOf } from '@dexfeed/service'
import type { LakeRequest } from '@dexfeed/store'
import { type LakeRowReads, parseRequest } from './lake-reads.ts'

/** DuckDB uses two processors for each. */
const MAX_READING = 2
const MAX_WAITING = 16
/** With the time in the queue. */
const TIME_LIMIT_MS = 5 * SECOND
/** DuckDB needs seconds for some thousand sides of pools. */
const MAX_BODY_BYTES = 400_000
const MAX_ANSWER_LENGTH = 32_000_000

export interface RowServer {
  url: string
  close(): Promise<void>
}

export interface RowServerOptions {
  reads: Pick<LakeRowReads, 'each'>
  log: Pick<Logger, 'warn'>
  host: string
  port: number
  timeLimitMs?: number
}

class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Answers `POST /rows`, a LakeRequest, with `{ rows }`. Anybody who can connect may read. */
export async function serveRows({
  reads,
  log,
  host,
  port,
  timeLimitMs = TIME_LIMIT_MS,
}: RowServerOptions): Promise<RowServer> {
  const turns = new Turns()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort(new Refused(499, 'the client has left')))
    const late = setTimeout(() => gone.abort(new Refused(503, 'the files take too long')), timeLimitMs)
    try {
      const wanted = await parse(request)
      const text = await turns.run(gone.signal, () => textOf(reads.each(wanted, gone.signal)))
      send(response, 200, text)
    } catch (error) {
      if (!(error instanceof Refused)) log.warn({ err: error }, 'files of the lake could not be read')
      const status = error instanceof Refused ? error.status : 503
      const message = error instanceof Refused ? error.message : 'the files cannot be read'
      send(response, status, JSON.stringify({ error: message }))
    } finally {
      clearTimeout(late)
    }
  }
  const server = createServer((request, response) => void answer(request, response))
  await listenOn(server, host, port)
  return { url: urlOf(server), close: () => closeServer(server, SECOND) }
}

function send(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return
  // The rest of a body that was refused is not read.
  const closing = status === 200 ? {} : { Connection: 'close' }
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...closing,
  })
  response.end(text)
}

async function parse(request: IncomingMessage): Promise<LakeRequest> {
  if (request.url !== '/rows') throw new Refused(404, 'there is only /rows')
  if (request.method !== 'POST') throw new Refused(405, 'only POST is supported')
  // So no page of another site can send one.
  if (request.headers['content-type'] !== 'application/json') throw new Refused(415, 'the body must be JSON')
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) throw new Refused(413, 'the body is too large')
    parts.push(part)
  }
  const wanted = parseRequest(jsonOf(Buffer.concat(parts).toString()))
  if (wanted === null) throw new Refused(400, 'the request is malformed')
  return wanted
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function textOf(rows: AsyncIterable<unknown>): Promise<string> {
  const parts: string[] = []
  let length = 0
  for await (const row of rows) {
    const text = JSON.stringify(row)
    length += text.length
    if (length > MAX_ANSWER_LENGTH) throw new Refused(422, 'the answer is too large')
    parts.push(text)
  }
  return `{"rows":[${parts.join()}]}`
}

/** A few requests at a time; the others wait in their order, and some are refused. */
class Turns {
  readonly #waiting: (() => void)[] = []
  #running = 0

  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running < MAX_READING) this.#running++
    else await this.#wait(signal)
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#waiting.length >= MAX_WAITING) throw new Refused(503, 'too many requests wait')
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(begin)
    })
  }
}
