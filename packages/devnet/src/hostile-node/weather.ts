import type { Random } from '../random.ts'
import { FAULT_NAMES, type Fault, LIES, NOTICED_LATE } from './faults.ts'

/** Which fault is on at which endpoint of a network. One at a time, so that a failure can be told from its cause. */
export interface Weather {
  /** Called for each request; null: all is well at this endpoint. */
  at(endpoint: number): Fault | null
  /** The fault that is on now, without counting as a request. */
  now(endpoint: number): Fault | null
  /** No more faults. */
  clear(): void
  /** How often each fault was met by a request. */
  readonly met: ReadonlyMap<Fault, number>
}

const LONGEST_STORM = 14
const LONGEST_CALM = 24
/** Troubles of a whole node last longer than a bad answer. */
const LASTING: ReadonlySet<Fault> = new Set<Fault>(['wrong-chain', 'other-fork', 'lagging', 'down'])
const LASTS_LONGER = 5

const AT_ONCE = FAULT_NAMES.filter((name) => !NOTICED_LATE.has(name))

/** Storms of a few requests with calm between them, drawn from a seed; of faults that are noticed at once. */
export function seededWeather(random: Random, endpoints: number, faults: readonly Fault[] = AT_ONCE): Weather {
  const met = new Map<Fault, number>()
  let cleared = false
  /** Every fault comes before one comes again. */
  let deck: Fault[] = []
  let fault: Fault | null = null
  let hit = new Set<number>()
  let left = random.integer(LONGEST_CALM)

  const turn = (): void => {
    if (fault !== null) {
      fault = null
      left = 1 + random.integer(LONGEST_CALM)
      return
    }
    if (deck.length === 0) deck = [...faults]
    fault = deck.splice(random.integer(deck.length), 1)[0] ?? null
    if (fault === null) return
    left = (1 + random.integer(LONGEST_STORM)) * (LASTING.has(fault) ? LASTS_LONGER : 1)
    const one = random.integer(endpoints)
    const all = !LIES.has(fault) && random.next() < 0.4
    hit = new Set(all ? Array.from({ length: endpoints }, (_, i) => i) : [one])
  }
  const now = (endpoint: number): Fault | null => (cleared || !hit.has(endpoint) ? null : fault)

  return {
    met,
    now,
    clear: () => {
      cleared = true
    },
    at: (endpoint) => {
      if (cleared) return null
      if (left-- <= 0) turn()
      const here = now(endpoint)
      if (here !== null) met.set(here, (met.get(here) ?? 0) + 1)
      return here
    },
  }
}
