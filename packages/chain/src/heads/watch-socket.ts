import WebSocket from 'ws'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import { maskText, maskUrl } from '../transport/mask-url.ts'

export interface WatchSocketOptions {
  /** ws(s) URLs, in order of preference. */
  urls: readonly string[]
  /** A socket without a head for this long is dead, whatever its pings say. */
  silenceMs: number
  clock: Clock
  log: ChainLog
  signal: AbortSignal
}

export interface SocketWatch {
  /** Whether heads come in by a socket now. */
  healthy(): boolean
  /** Highest block number that the current connection reported; null before its first head. */
  lastHead(): number | null
  /** Gives the current connection up: heads are known that it did not report. */
  distrust(): void
}

const FIRST_PAUSE = 500
const LONGEST_PAUSE = 30_000
const CONNECT_TIMEOUT = 10_000
/** A head is a few kilobytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024

/** Keeps one `newHeads` subscription alive, over the URLs in turn; `hint` is called for each head. */
export function watchSocket(options: WatchSocketOptions, hint: () => void): SocketWatch {
  const state: { connection: Connection | null } = { connection: null }
  void keepConnected(options, state, hint)
  return {
    healthy: () => state.connection?.reporting ?? false,
    lastHead: () => state.connection?.head ?? null,
    distrust: () => state.connection?.socket.terminate(),
  }
}

interface Connection {
  readonly socket: WebSocket
  reporting: boolean
  head: number | null
  /** Clock time of the last sign of heads: the subscription's confirmation or a head. */
  heardAt: number
}

async function keepConnected(
  options: WatchSocketOptions,
  state: { connection: Connection | null },
  hint: () => void,
): Promise<void> {
  const { urls, clock, signal, log } = options
  let failures = 0
  for (let i = 0; !signal.aborted; i++) {
    const url = urls[i % urls.length]
    if (url === undefined) return
    const { reported, reason } = await useSocket(url, options, state, hint)
    state.connection = null
    if (signal.aborted) return
    failures = reported ? 0 : failures + 1
    log.debug({ endpoint: maskUrl(url), reason: maskText(reason, url) }, 'head subscription lost')
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures, 16))
    await clock.sleep(pause * (0.5 + clock.random() / 2), signal)
  }
}

/** Lives as long as the connection; tells whether it reported any head, and why it ended. Never rejects. */
async function useSocket(
  url: string,
  { clock, signal, silenceMs }: WatchSocketOptions,
  state: { connection: Connection | null },
  hint: () => void,
): Promise<{ reported: boolean; reason: string }> {
  const socket = new WebSocket(url, {
    handshakeTimeout: CONNECT_TIMEOUT,
    maxPayload: MAX_MESSAGE_BYTES,
    followRedirects: false,
    perMessageDeflate: false,
  })
  const connection: Connection = { socket, reporting: false, head: null, heardAt: clock.now() }
  state.connection = connection
  let reason = 'closed'
  const over = new AbortController()
  const ended = new Promise<void>((resolve) => {
    socket.on('error', (error) => {
      reason = error.message
    })
    socket.on('close', () => resolve())
  })
  const stop = (): void => socket.terminate()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()

  socket.on('open', () => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  })
  let subscription: unknown = null
  socket.on('message', (data) => {
    const message = readMessage(String(data))
    if (message?.id === 1) {
      subscription = message.result ?? null
      if (subscription === null) {
        reason = 'subscription refused'
        socket.terminate()
      }
      connection.heardAt = clock.now()
    } else if (message?.subscription !== undefined && message.subscription === subscription) {
      connection.heardAt = clock.now()
      connection.reporting = true
      connection.head = message.head
      hint()
    }
  })
  void (async () => {
    while (!over.signal.aborted) {
      const left = connection.heardAt + silenceMs - clock.now()
      if (left <= 0) {
        reason = 'silent'
        socket.terminate()
        return
      }
      await clock.sleep(left, over.signal)
    }
  })()
  await ended
  over.abort()
  signal.removeEventListener('abort', stop)
  const reported = connection.reporting
  connection.reporting = false
  return { reported, reason }
}

interface SocketMessage {
  id: unknown
  result: unknown
  subscription: unknown
  head: number | null
}

function readMessage(text: string): SocketMessage | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return null
    const { id, result, params } = body as { id?: unknown; result?: unknown; params?: unknown }
    const { subscription, result: head } = (params ?? {}) as { subscription?: unknown; result?: { number?: unknown } }
    const number = Number(head?.number)
    return { id, result, subscription, head: Number.isSafeInteger(number) ? number : null }
  } catch {
    return null
  }
}
