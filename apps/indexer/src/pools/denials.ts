import { type Clock, systemClock } from '@dexfeed/chain'
import { HOUR, MINUTE, type PoolAddress } from '@dexfeed/dex'

/** Emitters that are remembered, so that a busy one is asked about once in a while. */
const MOST = 200_000
const FIRST_HOLDS = MINUTE
const LONGEST_HOLDS = 7 * 24 * HOUR

interface Denial {
  /** What it was said about: a block, or a minute of the latest ones. */
  at: string
  /** How often it was confirmed. */
  times: number
  until: number
}

/**
 * Emitters that the configured contracts denied. One answer is no denial: it counts when a second endpoint, or the same
 * one at another block, says so too, and then for a minute, twice as long each further time.
 */
export class Denials {
  readonly #clock: Pick<Clock, 'now'>
  readonly #denials = new Map<PoolAddress, Denial>()

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock
  }

  /** Whether the emitter need not be asked about now. */
  holds(emitter: PoolAddress): boolean {
    return (this.#denials.get(emitter)?.until ?? Number.NEGATIVE_INFINITY) > this.#clock.now()
  }

  /** @param byTwo whether a second endpoint said so too */
  note(emitter: PoolAddress, block: string, byTwo: boolean): void {
    const now = this.#clock.now()
    const at = block === 'latest' ? `latest ${Math.floor(now / MINUTE)}` : block
    const before = this.#denials.get(emitter)
    const isConfirmed = byTwo || (before !== undefined && before.at !== at)
    const times = (before?.times ?? 0) + (isConfirmed ? 1 : 0)
    const until = isConfirmed ? now + Math.min(LONGEST_HOLDS, FIRST_HOLDS * 2 ** (times - 1)) : now
    this.#denials.delete(emitter)
    this.#denials.set(emitter, { at, times, until })
    const oldest = this.#denials.keys().next()
    if (this.#denials.size > MOST && !oldest.done) this.#denials.delete(oldest.value)
  }

  forget(emitter: PoolAddress): void {
    this.#denials.delete(emitter)
  }
}
