import type { Random } from '../random.ts'
import { CONCERNS, type Fault, LIES, NOTICED_AT_ONCE } from './faults.ts'

/** Which fault is on at which endpoint of a network. */
export interface Weather {
  /** Called for each request with what it asks for; null: all is well at this endpoint. */
  at(endpoint: number, subjects: readonly string[]): Fault | null
  /** The fault that is on now, without counting as a request. */
  now(endpoint: number): Fault | null
  /** No more faults. */
  clear(): void
  /** How often each fault was met by a request that it concerns. */
  readonly met: ReadonlyMap<Fault, number>
}

/** Weather that changes with the chain: a storm comes with a block, and goes when enough requests have met it. */
export interface SeededWeather extends Weather {
  /** The chain has moved. */
  turn(): void
  /** Whether each of the faults that come first has been met. */
  isThrough(): boolean
}

export interface WeatherOptions {
  random: Random
  endpoints: number
  /** Faults that come before all others, in this order; the others follow in an order of the seed. */
  first: readonly Fault[]
}

/** Requests of a storm and moves of the chain between two storms at most. */
const LONGEST_STORM = 14
const LONGEST_CALM = 3
/** Troubles of a whole node last longer than a bad answer. */
const LASTING: ReadonlySet<Fault> = new Set<Fault>(['wrong-chain', 'other-fork', 'lagging', 'down'])
const LASTS_LONGER = 5
/** Moves after which a storm that was met is over, and one that was not goes to the next endpoint. */
const PATIENCE = 5
const IMPATIENCE = 2

interface Storm {
  fault: Fault
  hit: ReadonlySet<number>
  /** Requests until it is over. */
  left: number
  met: boolean
  moves: number
}

/** One fault at a time, so that a failure can be told from its cause, and every fault before one comes again. */
export function seededWeather({ random, endpoints, first }: WeatherOptions): SeededWeather {
  const met = new Map<Fault, number>()
  const awaited = new Set(first)
  let deck = [...first]
  let storm: Storm | null = null
  let calm = 0
  let cleared = false

  const draw = (): Fault => {
    if (deck.length === 0) deck = shuffled(NOTICED_AT_ONCE, random)
    return deck.shift() ?? 'down'
  }
  const begin = (fault: Fault): Storm => {
    const all = !LIES.has(fault) && random.next() < 0.4
    const one = random.integer(endpoints)
    return {
      fault,
      hit: new Set(all ? Array.from({ length: endpoints }, (_, i) => i) : [one]),
      left: (1 + random.integer(LONGEST_STORM)) * (LASTING.has(fault) ? LASTS_LONGER : 1),
      met: false,
      moves: 0,
    }
  }
  /** Whoever waits in vain at one endpoint waits at the next. */
  const wander = (waiting: Storm): void => {
    if (waiting.moves++ % IMPATIENCE !== IMPATIENCE - 1 || waiting.hit.size > 1) return
    waiting.hit = new Set([...waiting.hit].map((endpoint) => (endpoint + 1) % endpoints))
  }
  const now = (endpoint: number): Fault | null =>
    !cleared && storm !== null && storm.left > 0 && storm.hit.has(endpoint) ? storm.fault : null

  return {
    met,
    now,
    clear: () => {
      cleared = true
    },
    isThrough: () => awaited.size === 0,
    turn: () => {
      if (storm !== null && storm.left > 0 && !(storm.met && storm.moves >= PATIENCE)) return wander(storm)
      if (storm !== null) {
        storm = null
        calm = random.integer(LONGEST_CALM)
      }
      if (calm-- <= 0) storm = begin(draw())
    },
    at: (endpoint, subjects) => {
      const fault = now(endpoint)
      if (fault === null || storm === null || !subjects.some(CONCERNS[fault])) return fault
      met.set(fault, (met.get(fault) ?? 0) + 1)
      awaited.delete(fault)
      storm.met = true
      storm.left--
      return fault
    },
  }
}

/** All of a list in an order of the seed. */
export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list]
  return Array.from(list, () => left.splice(random.integer(left.length), 1)).flat()
}
