import type { NetworkName } from '@dexfeed/dex'
import type { EdgeEvent } from './edge/edge-event.ts'
import { wholeReset } from './edge/network-edge.ts'

/** What is kept of a network for those who come again: so much, and so long. */
const MAX_EVENTS = 30_000
const KEPT_MS = 600_000

interface Entry {
  /** Of the edge that the events led to; null: the network was not indexed any more. */
  id: string | null
  events: readonly EdgeEvent[]
  at: number
}

/** Where a listener stands: the id of each network's edge. */
export type StreamPlace = ReadonlyMap<NetworkName, string>

/** What was told of each network in the last minutes. */
export class StreamLog {
  readonly #entries = new Map<NetworkName, Entry[]>()

  /** Notes what led to an edge. */
  add(network: NetworkName, id: string | null, events: readonly EdgeEvent[]): void {
    const entries = this.#entries.get(network) ?? []
    entries.push({ id, events, at: performance.now() })
    this.#entries.set(network, entries)
    let kept = entries.reduce((sum, entry) => sum + entry.events.length, 0)
    const isOver = ({ at }: Entry) => kept > MAX_EVENTS || performance.now() - at > KEPT_MS
    // The first entry stands for its id alone, its events are those of who was there before.
    for (let first = entries[0]; entries.length > 1 && first !== undefined && isOver(first); first = entries[0]) {
      kept -= first.events.length
      entries.shift()
    }
  }

  clear(): void {
    this.#entries.clear()
  }

  /** Where all networks stand. */
  get place(): StreamPlace {
    const last = [...this.#entries].map(([network, entries]) => [network, entries.at(-1)?.id ?? null] as const)
    return new Map(last.filter((one): one is [NetworkName, string] => one[1] !== null))
  }

  /** What has happened to a network since a listener stood there. */
  since(network: NetworkName, place: StreamPlace): readonly EdgeEvent[] {
    const entries = this.#entries.get(network)
    const id = place.get(network)
    // An id may stand for two edges in turn: then the events between are told once more, which changes nothing.
    const at = id === undefined ? -1 : (entries?.findIndex((entry) => entry.id === id) ?? -1)
    if (entries === undefined) return id === undefined ? [] : [wholeReset({ network }, 'resume')]
    if (at === -1) return [wholeReset({ network }, 'resume')]
    return entries.slice(at + 1).flatMap(({ events }) => events)
  }
}

/** A place as an event's id: `bsc.q3fJ0a_9Xk2v~eth.…`. */
export function placeText(place: StreamPlace): string {
  return [...place].map(([network, id]) => `${network}.${id}`).join('~')
}

/** The inverse; what is no place is one that nobody remembers. */
export function placeOf(text: string, networks: readonly NetworkName[]): StreamPlace {
  const parts = text.split('~').map((part) => part.split('.'))
  const known = parts.flatMap(([name, id]) => {
    const network = networks.find((one) => one === name)
    return network === undefined || id === undefined ? [] : [[network, id] as const]
  })
  return new Map(known)
}
