import type { Random } from '@dexfeed/devnet'
import { FAULTS, type Fault, isMetBy } from './faults.ts'

export interface FaultSchedule {
  at(endpoint: number, subjects: readonly string[]): Fault | null
}

export interface SeededFaultSchedule extends FaultSchedule {
  onMove(): void
  readonly awaited: ReadonlySet<Fault>
  clear(): void
  readonly met: ReadonlyMap<Fault, number>
}

export interface FaultScheduleOptions {
  random: Random
  endpoints: number
  first: readonly Fault[]
  /** Come afterwards, in random order. */
  later: readonly Fault[]
  /** How many milliseconds clients avoid an endpoint after this lie. No other endpoint lies meanwhile. */
  setAsideMs: (lie: Fault) => number
  now?: () => number
}

/** Maximum requests that meet a fault, and maximum moves between two faults. */
const MAX_REQUESTS = 14
const MAX_PAUSE = 3
const LASTING: ReadonlySet<Fault> = new Set<Fault>(['wrong-chain', 'other-fork', 'lagging', 'down'])
const LASTS_LONGER = 5
const MOVES_WHEN_MET = 5
const MOVES_UNTIL_NEXT = 2
/** A fault of `later` ends after this many moves, even if no client sent a request that it concerns. */
const MOVES_UNMET = 20

const isLie = (fault: Fault) => FAULTS[fault].lie !== undefined

interface ActiveFault {
  fault: Fault
  endpoints: ReadonlySet<number>
  left: number
  met: boolean
  moves: number
}

/**
 * One fault is active at a time, so that a failure shows its cause. No fault repeats before all others had their turn.
 */
export function seededFaultSchedule(options: FaultScheduleOptions): SeededFaultSchedule {
  const { random, endpoints, first, later, setAsideMs, now = Date.now } = options
  const met = new Map<Fault, number>()
  const awaited = new Set(first)
  let deck = [...first]
  let active: ActiveFault | null = null
  let pause = 0
  let cleared = false
  /** The last endpoint that lied, and until when clients may avoid it. */
  let liar = { endpoint: 0, until: 0 }

  const draw = (): Fault => {
    if (deck.length === 0) deck = shuffled(later, random)
    return deck.shift() ?? 'down'
  }
  const begin = (fault: Fault): ActiveFault => {
    const all = !isLie(fault) && random.next() < 0.4
    const drawn = random.integer(endpoints)
    const one = isLie(fault) && now() < liar.until ? liar.endpoint : drawn
    return {
      fault,
      endpoints: new Set(all ? Array.from({ length: endpoints }, (_, i) => i) : [one]),
      left: (1 + random.integer(MAX_REQUESTS)) * (LASTING.has(fault) ? LASTS_LONGER : 1),
      met: false,
      moves: 0,
    }
  }
  const moveOn = (waiting: ActiveFault): void => {
    if (waiting.moves++ % MOVES_UNTIL_NEXT !== MOVES_UNTIL_NEXT - 1 || waiting.endpoints.size > 1) return
    if (isLie(waiting.fault) && now() < liar.until) return
    waiting.endpoints = new Set([...waiting.endpoints].map((endpoint) => (endpoint + 1) % endpoints))
  }

  const isOver = ({ fault, left, met: wasMet, moves }: ActiveFault): boolean => {
    if (left === 0) return true
    return wasMet ? moves >= MOVES_WHEN_MET : !awaited.has(fault) && moves >= MOVES_UNMET
  }

  return {
    met,
    clear: () => {
      cleared = true
    },
    awaited,
    onMove: () => {
      if (active !== null && !isOver(active)) return moveOn(active)
      if (active !== null) {
        active = null
        pause = random.integer(MAX_PAUSE)
      }
      if (pause-- <= 0) active = begin(draw())
    },
    at: (endpoint, subjects) => {
      if (cleared || active === null || active.left === 0 || !active.endpoints.has(endpoint)) return null
      const { fault } = active
      if (subjects.some((subject) => isMetBy(fault, subject))) {
        met.set(fault, (met.get(fault) ?? 0) + 1)
        awaited.delete(fault)
        active.met = true
        active.left--
        if (isLie(fault)) liar = { endpoint, until: Math.max(liar.until, now() + setAsideMs(fault)) }
      }
      return fault
    },
  }
}

export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list]
  return Array.from(list, () => left.splice(random.integer(left.length), 1)).flat()
}
