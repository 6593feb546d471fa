import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE, NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { ListedNetwork } from '@dexfeed/store'
import { notNow } from '../../http/http-failure.ts'
import type { Changes } from '../../service/change-feed.ts'
import { type EdgeEvent, edgeEvent } from '../recent/edge-event.ts'
import { headEvent, idOf } from '../recent/network-edge.ts'
import type { RecentTrades, Steps } from '../recent/recent-trades.ts'
import type { Connection, Framing } from './connections.ts'
import type { StreamFilter } from './stream-filter.ts'
import { placeOf, placeText, StreamLog } from './stream-log.ts'

const BEAT_MS = 15 * SECOND
/** Keep following this long after the last listener disconnects, because clients reconnect. */
const IDLE_MS = 10 * MINUTE
const RETRY_MS = SECOND
/** Maximum bytes that may wait for longer than PATIENCE_MS, and that may wait at all. */
const MAX_PENDING = 1_048_576
const MAX_EVER_PENDING = 16 * MAX_PENDING
/** How long more than MAX_PENDING bytes may wait, and how long any byte may wait. */
const PATIENCE_MS = 5 * SECOND
const STALL_MS = MINUTE

export interface StreamHubOptions {
  recent: RecentTrades
  changes: Changes
  log: Logger
  onSlow?: () => void
  beatMs?: number
}

interface Listener {
  filter: StreamFilter
  connection: Connection
  waitingSince: number | null
}

interface IdentifiedEvent extends EdgeEvent {
  id?: string
}

export class StreamHub {
  readonly #options: StreamHubOptions
  readonly #log = new StreamLog()
  readonly #listeners = new Set<Listener>()
  readonly #stopping = new AbortController()
  #following: { begun: Promise<void>; done: Promise<void> } | null = null
  #changed: () => void = () => undefined
  #idleSince = performance.now()

  constructor(options: StreamHubOptions) {
    this.#options = options
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /**
   * Returns the networks of the stream, once they are known.
   *
   * @throws StoreError, or HttpFailure 503 when the API shuts down
   */
  async networks(): Promise<readonly ListedNetwork[]> {
    if (this.#stopping.signal.aborted) throw notNow('the server is shutting down')
    this.#idleSince = performance.now()
    this.#following ??= this.#follow()
    await this.#following.begun
    return this.#standings()
  }

  /**
   * Sends events that pass the filter, starting now or after `lastId`. Returns a function that ends this. Must be
   * called directly after `networks` has resolved.
   */
  join(connection: Connection, filter: StreamFilter, lastId: string | null): () => void {
    const listener: Listener = { filter, connection, waitingSince: null }
    const isOwn = (network: NetworkName) => filter.network === undefined || filter.network === network
    const own = NETWORK_NAMES.filter(isOwn)
    const missed =
      lastId === null ? [] : this.#log.missed(own, placeOf(lastId, NETWORK_NAMES), (event) => filter.takes(event))
    const id = placeText(this.#log.place)
    const heads = this.#standings()
      .filter(({ network }) => isOwn(network))
      .map((standing) => ({ ...headEvent(standing), id }))
    connection.send(frame([...missed, ...heads], connection.framing))
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      this.#idleSince = performance.now()
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the API ends'))
    this.#changed()
    for (const { connection } of this.#listeners) connection.end('over')
    this.#listeners.clear()
    await this.#following?.done
  }

  #standings(): ListedNetwork[] {
    const { edges } = this.#options.recent
    return NETWORK_NAMES.flatMap((network) => edges.get(network)?.standing ?? [])
  }

  #follow(): { begun: Promise<void>; done: Promise<void> } {
    const begun = this.#begin()
    const done = begun.then(() => this.#keepUp()).catch(() => this.#forget())
    return { begun, done }
  }

  #forget(): void {
    this.#following = null
    this.#options.recent.listen(null)
    this.#log.clear()
  }

  async #begin(): Promise<void> {
    const { recent } = this.#options
    await recent.refresh()
    for (const edge of recent.edges.values()) this.#log.add(edge.standing.network, idOf(edge), [])
    recent.listen((steps) => this.#take(steps))
  }

  async #keepUp(): Promise<void> {
    const { recent, changes, log, beatMs = BEAT_MS } = this.#options
    const { signal } = this.#stopping
    let changed = new AbortController()
    this.#changed = () => changed.abort()
    const unsubscribe = changes.subscribe(() => changed.abort())
    const beat = setInterval(() => this.#beat(), beatMs)
    let isHealthy = true
    try {
      while (!signal.aborted && (this.#listeners.size > 0 || performance.now() - this.#idleSince < IDLE_MS)) {
        // From here on, the round may miss changes.
        changed = new AbortController()
        try {
          await recent.refresh()
          if (!isHealthy) log.info('following the stream works again')
          isHealthy = true
        } catch (error) {
          if (isHealthy && !signal.aborted) log.warn({ err: error }, 'cannot follow the stream')
          isHealthy = false
          await delay(RETRY_MS, undefined, { signal }).catch(() => undefined)
          continue
        }
        if (!signal.aborted) await delay(beatMs, undefined, { signal: changed.signal }).catch(() => undefined)
      }
    } finally {
      // Done immediately, so that a client that connects now starts with a new state.
      this.#forget()
      unsubscribe()
      clearInterval(beat)
    }
  }

  #take(steps: Steps): void {
    for (const [network, { edge, events }] of steps) {
      this.#log.add(network, edge && idOf(edge), events)
      const head = edge === null ? [] : [{ ...headEvent(edge.standing), id: placeText(this.#log.place) }]
      this.#publish(network, [...events, ...head])
    }
  }

  #publish(network: NetworkName, events: readonly IdentifiedEvent[]): void {
    const taken = new Map<string, readonly IdentifiedEvent[]>()
    const frames = new Map<string, Buffer>()
    const now = performance.now()
    for (const listener of this.#listeners) {
      const { filter, connection } = listener
      if (filter.network !== undefined && filter.network !== network) continue
      const own = taken.get(filter.key) ?? events.filter((event) => filter.takes(event))
      taken.set(filter.key, own)
      if (own.length === 0) continue
      const name = `${connection.framing} ${filter.key}`
      const bytes = frames.get(name) ?? frame(own, connection.framing)
      frames.set(name, bytes)
      if (isSlow(listener, now)) this.#cut(listener)
      else connection.send(bytes)
    }
  }

  #beat(): void {
    const now = performance.now()
    for (const listener of this.#listeners) {
      if (isSlow(listener, now)) this.#cut(listener)
      else listener.connection.beat()
    }
  }

  #cut(listener: Listener): void {
    this.#listeners.delete(listener)
    this.#options.onSlow?.()
    listener.connection.end('slow', SLOW[listener.connection.framing])
  }
}

const TOO_SLOW = edgeEvent('slow', { message: 'too many events wait for this connection; reconnect with the last id' })
const SLOW: Record<Framing, Buffer> = { sse: frame([TOO_SLOW], 'sse'), socket: frame([TOO_SLOW], 'socket') }

function frame(events: readonly IdentifiedEvent[], framing: Framing): Buffer {
  return Buffer.from(framing === 'sse' ? events.map(sse).join('') : `[${events.map(message).join()}]`)
}

/** JSON contains no raw line breaks. */
function sse({ name, json, id }: IdentifiedEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`
}

function message({ name, json, id }: IdentifiedEvent): string {
  return `{"event":"${name}",${id === undefined ? '' : `"id":${JSON.stringify(id)},`}"data":${json}}`
}

/** Returns whether the listener is too slow. Call it before each send, so that a batch of any size fits. */
function isSlow(listener: Listener, now: number): boolean {
  const { pending } = listener.connection
  if (pending === 0) {
    listener.waitingSince = null
    return false
  }
  listener.waitingSince ??= now
  const waitingMs = now - listener.waitingSince
  return pending > MAX_EVER_PENDING || waitingMs > STALL_MS || (pending > MAX_PENDING && waitingMs > PATIENCE_MS)
}
