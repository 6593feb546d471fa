import type { NetworkName } from '@dexfeed/dex'
import type { EdgeEvent } from '../recent/edge-event.ts'
import { wholeReset } from '../recent/network-edge.ts'

const MAX_EVENTS = 20_000
const KEPT_MS = 600_000
/**
 * Approximate maximum in bytes for a client that reconnects: half of what may wait for a listener, or it would be cut
 * off again.
 */
const MAX_MISSED = 524_288
const FRAME_LENGTH = 40

interface Entry {
  id: string | null
  events: readonly EdgeEvent[]
  at: number
}

export type StreamPlace = ReadonlyMap<NetworkName, string>

export class StreamLog {
  readonly #entries = new Map<NetworkName, Entry[]>()

  add(network: NetworkName, id: string | null, events: readonly EdgeEvent[]): void {
    const entries = this.#entries.get(network) ?? []
    entries.push({ id, events, at: performance.now() })
    this.#entries.set(network, entries)
    let kept = entries.reduce((sum, entry) => sum + entry.events.length, 0)
    const isOver = ({ at }: Entry) => kept > MAX_EVENTS || performance.now() - at > KEPT_MS
    // The first entry only provides an id: its events precede any place that is still known.
    for (let first = entries[0]; entries.length > 1 && first !== undefined && isOver(first); first = entries[0]) {
      kept -= first.events.length
      entries.shift()
    }
  }

  clear(): void {
    this.#entries.clear()
  }

  get place(): StreamPlace {
    const last = [...this.#entries].map(([network, entries]) => [network, entries.at(-1)?.id ?? null] as const)
    return new Map(last.filter((each): each is [NetworkName, string] => each[1] !== null))
  }

  /**
   * Returns the events since a place that a listener accepts. A network with too many events, or with an unknown place,
   * gets a reset.
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

  #since(network: NetworkName, place: StreamPlace): readonly Entry[] | null {
    const entries = this.#entries.get(network)
    const id = place.get(network)
    if (entries === undefined) return id === undefined ? [] : null
    // An id may occur twice. The events in between are then sent again, which does no harm.
    const at = entries.findIndex((entry) => entry.id === id)
    return id === undefined || at === -1 ? null : entries.slice(at + 1)
  }
}

interface Room {
  events: number
  length: number
}

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

/** Formats a place as an event's id: `bsc.q3fJ0a_9Xk2v~eth.…`. */
export function placeText(place: StreamPlace): string {
  return [...place].map(([network, id]) => `${network}.${id}`).join('~')
}

/** Parses a place. An invalid text gives a place that is unknown everywhere. */
export function placeOf(text: string, networks: readonly NetworkName[]): StreamPlace {
  const parts = text.split('~').map((part) => part.split('.'))
  const known = parts.flatMap(([name, id]) => {
    const network = networks.find((each) => each === name)
    return network === undefined || id === undefined ? [] : [[network, id] as const]
  })
  return new Map(known)
}
