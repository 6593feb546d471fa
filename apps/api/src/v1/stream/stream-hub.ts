import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE, NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { EdgeSnapshot, ListedNetwork, Reader } from '@dexfeed/store'
import { notNow } from '../../http/http-failure.ts'
import type { Changes } from '../../service/change-feed.ts'
import { type EdgeEvent, edgeEvent } from './edge/edge-event.ts'
import { beginEdge, type EdgeStep, headEvent, idOf, type NetworkEdge, nextEdge } from './edge/network-edge.ts'
import { type Connection, type Framing, Listener } from './listener.ts'
import type { StreamFilter } from './stream-filter.ts'
import { placeOf, placeText, StreamLog } from './stream-log.ts'

const BEAT_MS = 15 * SECOND
/** Keep following this long after the last listener disconnects, because clients reconnect. */
const IDLE_MS = 10 * MINUTE
const RETRY_MS = SECOND

export interface StreamHubOptions {
  reader: { edge: Reader['edge'] }
  changes: Changes
  log: Logger
  onSlow?: () => void
  beatMs?: number
}

interface IdentifiedEvent extends EdgeEvent {
  id?: string
}

export class StreamHub {
  readonly #options: StreamHubOptions
  readonly #log = new StreamLog()
  readonly #edges = new Map<NetworkName, NetworkEdge>()
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
    const listener = new Listener(filter, connection)
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
    return NETWORK_NAMES.flatMap((network) => this.#edges.get(network)?.standing ?? [])
  }

  #follow(): { begun: Promise<void>; done: Promise<void> } {
    const begun = this.#begin()
    const done = begun.then(() => this.#keepUp()).catch(() => this.#forget())
    return { begun, done }
  }

  #forget(): void {
    this.#following = null
    this.#edges.clear()
    this.#log.clear()
  }

  async #begin(): Promise<void> {
    const { reader } = this.#options
    const edges = await reader.edge(new Map(), this.#stopping.signal, async (snapshot) => {
      const begun: NetworkEdge[] = []
      for (const standing of snapshot.networks) begun.push(await beginEdge(snapshot, standing))
      return begun
    })
    for (const edge of edges) {
      this.#edges.set(edge.standing.network, edge)
      this.#log.add(edge.standing.network, idOf(edge), [])
    }
  }

  async #keepUp(): Promise<void> {
    const { changes, log, beatMs = BEAT_MS } = this.#options
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
          await this.#round()
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

  async #round(): Promise<void> {
    const unknown = new Map([...this.#edges].map(([network, edge]) => [network, edge.unknown] as const))
    const steps = await this.#options.reader.edge(unknown, this.#stopping.signal, (snapshot) => this.#steps(snapshot))
    for (const [network, { edge, events }] of steps) {
      if (edge === null) this.#edges.delete(network)
      else this.#edges.set(network, edge)
      this.#log.add(network, edge && idOf(edge), events)
      const head = edge === null ? [] : [{ ...headEvent(edge.standing), id: placeText(this.#log.place) }]
      this.#publish(network, [...events, ...head])
    }
  }

  async #steps(snapshot: EdgeSnapshot): Promise<[NetworkName, EdgeStep][]> {
    const steps: [NetworkName, EdgeStep][] = []
    for (const network of NETWORK_NAMES) {
      const standing = snapshot.networks.find((listedNetwork) => listedNetwork.network === network) ?? null
      const step = await nextEdge(snapshot, this.#edges.get(network) ?? null, standing)
      if (step !== null) steps.push([network, step])
    }
    return steps
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
      if (listener.isSlow(now)) this.#cut(listener)
      else connection.send(bytes)
    }
  }

  #beat(): void {
    const now = performance.now()
    for (const listener of this.#listeners) {
      if (listener.isSlow(now)) this.#cut(listener)
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
