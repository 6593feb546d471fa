import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { errorCodeOf } from '@dexfeed/contract'
import { MINUTE } from '@dexfeed/dex'
import { failureBody, type Logger, METHODS } from '@dexfeed/service'
import { requestHeaders, responseHeaders, wordsOf } from './headers.ts'
import type { ProxyMetrics } from './proxy-metrics.ts'
import type { Answer, Replica } from './replicas/replica.ts'
import type { Replicas } from './replicas/replicas.ts'

export interface RelayContext {
  replicas: Pick<Replicas, 'choose'>
  clientOf: (request: IncomingMessage) => string
  metrics: ProxyMetrics
  log: Logger
}

/** To the first byte. The API itself gives up long before. */
const ANSWER_MS = MINUTE
/** They have no body, and asking twice changes nothing. */
const REPEATABLE = new Set(METHODS.split(', '))
/** With these alone a body goes on: behind DELETE or TRACE Node frames none, and it would be taken for requests. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])
/** Its readers come back for the rest: only the replica that began a list surely has the same. */
const LIST = /^\/api\/swaps_24h(?:\?|$)/

/** Connections on which nothing that follows is taken for a request. */
const ending = new WeakSet<Socket>()

/** What the client waits at. */
interface Leaving {
  destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** Nobody answered in time; `gone`: nobody has read the request, so that another may be asked. */
class NoAnswer extends Error {
  readonly gone: boolean
  constructor(gone: boolean, cause: unknown) {
    super('no answer', { cause })
    this.gone = gone
  }
}

/** Answers a request with what a replica answers, or with 503. Never fails. */
export async function relay(request: IncomingMessage, response: ServerResponse, context: RelayContext): Promise<void> {
  const { metrics, log } = context
  // It was sent behind a request that is refused, and came with it.
  if (ending.has(request.socket)) return
  const coding = request.headers['transfer-encoding']
  // Where a body of another coding ends nobody knows (RFC 9112, section 6.1).
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    response.shouldKeepAlive = false
    ending.add(request.socket)
    return refuse(request, response, 501, 'of transfer codings, only chunked is known', metrics)
  }
  try {
    const { message } = await askOne(request, response, context)
    await send(request, response, message)
    metrics.answered(`${Math.floor(response.statusCode / 100)}xx`)
  } catch (error) {
    if (response.headersSent || response.destroyed) {
      metrics.answered(response.headersSent ? 'cut' : 'left')
      // What was sent must not look whole.
      response.destroy()
    } else if (error instanceof NoAnswer) refuse(request, response, 503, 'the API does not answer now', metrics)
    else {
      log.debug({ err: error }, 'a request cannot be passed on')
      refuse(request, response, 400, 'the request is malformed', metrics)
    }
  }
}

/**
 * Asks one replica after the other until one begins to answer. `gone` is closed when the client leaves.
 *
 * @throws NoAnswer when none does
 */
export async function askOne(
  request: IncomingMessage,
  gone: Leaving,
  { replicas, clientOf, metrics }: RelayContext,
  upgrade: readonly string[] = [],
): Promise<Answer> {
  const { method = 'GET', url = '/' } = request
  const [isRepeatable, hasBody] = [REPEATABLE.has(method), WITH_BODY.has(method)]
  const client = clientOf(request)
  const headers = [...requestHeaders(request, client, hasBody), ...upgrade]
  const tried = new Set<Replica>()
  let last: unknown
  for (;;) {
    const replica = replicas.choose(LIST.test(url) ? client : null, tried)
    if (replica === undefined || gone.destroyed) throw new NoAnswer(true, last)
    if (tried.size > 0) metrics.retried()
    const asked = replica.ask({ method, path: url, headers })
    const leave = () => asked.destroy()
    gone.once('close', leave)
    try {
      // When it fails, so does the answer.
      if (hasBody) pipeline(request, asked).catch(() => undefined)
      else asked.end()
      return await answerOf(asked)
    } catch (error) {
      gone.off('close', leave)
      if (!(error instanceof NoAnswer) || !error.gone || !isRepeatable) throw error
      // One that it was just closing says nothing about the replica.
      if (!asked.reusedSocket) {
        replica.missed()
        tried.add(replica)
      }
      last = error
    }
  }
}

function answerOf(asked: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let isLate = false
    let isAnswered = false
    const late = setTimeout(() => {
      isLate = true
      asked.destroy()
    }, ANSWER_MS)
    asked.once('response', (message) => resolve({ message }))
    asked.once('upgrade', (message, socket, head) => resolve({ message, upgraded: { socket: socket as Socket, head } }))
    asked.on('error', (error) => reject(new NoAnswer(!isLate, error)))
    asked.once('close', () => {
      clearTimeout(late)
      if (!isAnswered) reject(new NoAnswer(!isLate, null))
    })
    for (const event of ['response', 'upgrade']) {
      asked.once(event, () => {
        isAnswered = true
        clearTimeout(late)
      })
    }
  })
}

/** Passes an answer on, no faster than it is taken. @throws when it breaks off on either side */
export async function send(request: IncomingMessage, response: ServerResponse, message: IncomingMessage) {
  // Who is refused before the body was read may be taken to have sent something else behind it.
  const closes = wordsOf(message.headers.connection).includes('close')
  if (closes && !REPEATABLE.has(request.method ?? '')) response.shouldKeepAlive = false
  response.sendDate = false
  response.writeHead(message.statusCode ?? 502, message.statusMessage, responseHeaders(message))
  // The first event of a stream may be long in coming; a body of known length follows at once.
  if (message.headers['content-length'] === undefined) response.flushHeaders()
  await pass(message, response)
}

/** Not `pipeline`, which takes as long as all else here: who asked ends what is asked when the client leaves. */
function pass(message: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    message.once('error', reject)
    response.once('error', reject)
    response.once('finish', resolve)
    response.once('close', () => {
      if (!response.writableFinished) reject(new Error('the client has left'))
    })
    message.pipe(response)
  })
}

/** Answers in the place of the API. */
export function refuse(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
  metrics: ProxyMetrics,
): void {
  const body = failureBody(message, url, errorCodeOf(status))
  metrics.answered(`${Math.floor(status / 100)}xx`)
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      ...(status === 503 && { 'Retry-After': '1' }),
    })
    .end(method === 'HEAD' ? undefined : body)
}
