import type { NetworkName } from '@dexfeed/dex'
import type { EdgeEvent } from './edge/edge-event.ts'
import { wholeReset } from './edge/network-edge.ts'

/** What is kept of a network for those who come again: so much, and so long. No more is looked at, of all networks. */
const MAX_EVENTS = 20_000
const KEPT_MS = 600_000
/**
 * Who comes again is given so much at most, about in bytes: half of what may wait for a listener that takes it slowly,
 * who would be cut and come again for the same otherwise.
 */
const MAX_MISSED = 524_288
/** What names an event and sets it off from the next, about. */
const FRAME_LENGTH = 40

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

  /**
   * What has happened to networks since a listener stood there, of that what it takes. Where nobody knows, or it is too
   * much, a reset of the network stands for it.
   */
  missed(
    networks: readonly NetworkName[],
    place: StreamPlace,
    takes: (event: EdgeEvent) => boolean,
  ): readonly EdgeEvent[] {
    const room: Room = { events: MAX_EVENTS, length: MAX_MISSED }
    return networks.flatMap((network) => {
      const entries = this.#since(network, place)
      return (entries && taken(entries, takes, room)) ?? [wholeReset({ network }, 'resume')]
    })
  }

  /** Null: nobody knows. */
  #since(network: NetworkName, place: StreamPlace): readonly Entry[] | null {
    const entries = this.#entries.get(network)
    const id = place.get(network)
    if (entries === undefined) return id === undefined ? [] : null
    // An id may stand for two edges in turn: then the events between are told once more, which changes nothing.
    const at = entries.findIndex((entry) => entry.id === id)
    return id === undefined || at === -1 ? null : entries.slice(at + 1)
  }
}

/** What may still be looked at, and given. */
interface Room {
  events: number
  length: number
}

/** The events that a listener takes; null when there is no room for them. */
function taken(entries: readonly Entry[], takes: (event: EdgeEvent) => boolean, room: Room): EdgeEvent[] | null {
  const events = entries.reduce((sum, entry) => sum + entry.events.length, 0)
  if (events > room.events) return null
  room.events -= events
  const own: EdgeEvent[] = []
  let left = room.length
  for (const entry of entries) {
    for (const event of entry.events) {
      if (!takes(event)) continue
      left -= event.json.length + FRAME_LENGTH
      if (left < 0) return null
      own.push(event)
    }
  }
  room.length = left
  return own
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
