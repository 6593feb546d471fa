import { type BlockHeader, SECOND } from '@dexfeed/dex'
import WebSocket from 'ws'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import { readHeader } from '../json-rpc/rpc-block.ts'
import { maskText, maskUrl } from '../transport/mask-url.ts'

export interface Latest {
  number: number
  /** Null if only the number was requested. */
  hash: string | null
}

export interface WatchHeadsOptions {
  socketUrls: readonly string[]
  pollMs: number
  /** A socket counts as dead after this long without a head, even if pings work. */
  silenceMs: number
  /** Requests the latest block, but its hash only if `exact`. */
  latest(exact: boolean): Promise<Latest>
  announced(header: BlockHeader | null): void
  blockTimeMs: number
  clock: Clock
  log: ChainLog
}

export const SLOW_POLL_MS = 5 * SECOND
/** One poll in this many also reads the hash, because a reorg may keep the height. On fast chains every poll does. */
const EXACT_EVERY = 4

/**
 * Calls `onHead` when a socket or a poll reports a possible new head, at most once per turn of the event loop. Returns
 * a function that stops this.
 */
export function watchHeads(options: WatchHeadsOptions, onHead: () => void): () => void {
  const { clock, log, socketUrls: urls, silenceMs, announced } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let pending = false
  const onHint = (): void => {
    if (pending) return
    pending = true
    setImmediate(() => {
      pending = false
      if (!signal.aborted) onHead()
    })
  }
  const onAnnounced = (header: BlockHeader | null): void => {
    announced(header)
    onHint()
  }
  const socket = urls.length > 0 ? new HeadSocket({ urls, silenceMs, clock, log, signal, onHead: onAnnounced }) : null
  void pollHeads(options, socket, signal, onHint)
  return () => stopped.abort()
}

async function pollHeads(
  { clock, log, pollMs, blockTimeMs, latest }: WatchHeadsOptions,
  socket: HeadSocket | null,
  signal: AbortSignal,
  onHint: () => void,
): Promise<void> {
  let last = null as Latest | null
  let unreported: number | null = null
  const exactEvery = blockTimeMs <= EXACT_EVERY * pollMs ? 1 : EXACT_EVERY
  for (let round = 0; !signal.aborted; round++) {
    const started = clock.now()
    const isExact = round % exactEvery === 0 || socket?.healthy === true
    const found = await latest(isExact).catch((error: unknown) => {
      log.debug({ err: error }, 'head poll failed')
      return null
    })
    if (signal.aborted) return
    if (found) {
      if (isNews(found, last)) onHint()
      last = { ...found, hash: found.hash ?? (isNews(found, last) ? null : (last?.hash ?? null)) }
    }
    const healthy = socket?.healthy ?? false
    const reported = socket?.lastHead ?? null
    const behind = healthy && found !== null && reported !== null && found.number > reported
    // A head that the socket lacks at two polls in a row is not just a race between poll and socket.
    if (behind && unreported === reported) socket?.reconnect()
    unreported = behind ? reported : null
    const interval = healthy ? Math.max(SLOW_POLL_MS, pollMs) : pollMs
    await clock.sleep(Math.max(1, interval - (clock.now() - started)), signal)
  }
}

function isNews(found: Latest, last: Latest | null): boolean {
  if (last === null || found.number !== last.number) return true
  return found.hash !== null && found.hash !== last.hash
}

interface HeadSocketOptions {
  urls: readonly string[]
  silenceMs: number
  clock: Clock
  log: ChainLog
  signal: AbortSignal
  onHead: (header: BlockHeader | null) => void
}

const FIRST_PAUSE = SECOND / 2
const LONGEST_PAUSE = 30 * SECOND
const CONNECT_TIMEOUT = 10 * SECOND
/** A head takes only a few kilobytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024

class HeadSocket {
  readonly #options: HeadSocketOptions
  #connection: HeadConnection | null = null

  constructor(options: HeadSocketOptions) {
    this.#options = options
    void this.#keepConnected()
  }

  get healthy(): boolean {
    return this.#connection?.reporting ?? false
  }

  get lastHead(): number | null {
    return this.#connection?.head ?? null
  }

  reconnect(): void {
    this.#connection?.end('behind')
  }

  async #keepConnected(): Promise<void> {
    const { urls, clock, signal, log } = this.#options
    let failures = 0
    for (let i = 0; !signal.aborted; i++) {
      const url = urls[i % urls.length]
      if (url === undefined) return
      const connection = new HeadConnection(url, this.#options)
      this.#connection = connection
      await connection.ended()
      this.#connection = null
      if (signal.aborted) return
      failures = connection.reporting ? 0 : failures + 1
      log.debug({ endpoint: maskUrl(url), reason: maskText(connection.reason, url) }, 'head subscription lost')
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures, 16))
      await clock.sleep(pause * (0.5 + clock.random() / 2), signal)
    }
  }
}

class HeadConnection {
  reporting = false
  head: number | null = null
  reason = 'closed'
  readonly #options: HeadSocketOptions
  readonly #socket: WebSocket
  #subscription: unknown = null
  #lastSign: number

  constructor(url: string, options: HeadSocketOptions) {
    this.#options = options
    this.#lastSign = options.clock.now()
    this.#socket = new WebSocket(url, {
      handshakeTimeout: CONNECT_TIMEOUT,
      maxPayload: MAX_MESSAGE_BYTES,
      followRedirects: false,
      perMessageDeflate: false,
    })
    this.#socket.on('error', (error) => {
      this.reason = error.message
    })
    this.#socket.on('open', () => {
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    })
    this.#socket.on('message', (data) => this.#onMessage(readMessage(String(data))))
  }

  async ended(): Promise<void> {
    const { signal } = this.#options
    const over = new AbortController()
    const closed = new Promise<void>((resolve) => this.#socket.on('close', () => resolve()))
    const stop = (): void => this.#socket.terminate()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    void this.#endWhenSilent(over.signal)
    await closed
    over.abort()
    signal.removeEventListener('abort', stop)
  }

  end(reason: string): void {
    this.reason = reason
    this.#socket.terminate()
  }

  #onMessage(message: SocketMessage | null): void {
    if (message?.id === 1) {
      this.#subscription = message.result ?? null
      if (this.#subscription === null) this.end('subscription refused')
      this.#lastSign = this.#options.clock.now()
    } else if (message?.subscription !== undefined && message.subscription === this.#subscription) {
      this.#lastSign = this.#options.clock.now()
      this.reporting = true
      this.head = message.head
      this.#options.onHead(message.header)
    }
  }

  async #endWhenSilent(over: AbortSignal): Promise<void> {
    const { clock, silenceMs } = this.#options
    while (!over.aborted) {
      const left = this.#lastSign + silenceMs - clock.now()
      if (left <= 0) return this.end('silent')
      await clock.sleep(left, over)
    }
  }
}

interface SocketMessage {
  id: unknown
  result: unknown
  subscription: unknown
  head: number | null
  header: BlockHeader | null
}

function readMessage(text: string): SocketMessage | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return null
    const { id, result, params } = body as { id?: unknown; result?: unknown; params?: unknown }
    const { subscription, result: head } = (params ?? {}) as { subscription?: unknown; result?: { number?: unknown } }
    const number = Number(head?.number)
    return { id, result, subscription, head: Number.isSafeInteger(number) ? number : null, header: headerOf(head) }
  } catch {
    return null
  }
}

function headerOf(head: unknown): BlockHeader | null {
  try {
    return readHeader(head)
  } catch {
    return null
  }
}
