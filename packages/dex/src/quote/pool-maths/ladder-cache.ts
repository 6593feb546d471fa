import type { SwapLadder } from './swap-ladder.ts'

/** Rungs of the ladders used of late, some 200 bytes each: half of what is kept at most. */
const MOST_RUNGS = 60_000

/**
 * The swap ladders of a market's pools, from one quote to the next. Those that were not used while others grew by
 * 60,000 rungs are dropped, so that memory is bounded whatever is asked for.
 */
export class LadderCache {
  readonly #most: number
  /** Used since the last turn. */
  #recent = new Map<object, SwapLadder>()
  /** Used between the last turn and the one before. */
  #older = new Map<object, SwapLadder>()
  #rungs = 0

  constructor(most = MOST_RUNGS) {
    this.#most = most
  }

  /** Rungs that are kept. */
  get rungs(): number {
    const all = [...this.#recent.values(), ...this.#older.values()]
    return all.reduce((sum, ladder) => sum + ladder.length, 0)
  }

  /** The ladder of a pool's direction (a PoolSide), made where there is none. */
  ladder(side: object, make: () => SwapLadder): SwapLadder {
    const recent = this.#recent.get(side)
    if (recent !== undefined) return recent
    const ladder = this.#older.get(side) ?? make()
    this.#older.delete(side)
    this.#recent.set(side, ladder)
    this.grew(ladder.length)
    return ladder
  }

  /** To be called when a ladder that is kept has got further rungs. */
  grew(rungs: number): void {
    this.#rungs += rungs
    if (this.#rungs <= this.#most) return
    this.#older = this.#recent
    this.#recent = new Map()
    this.#rungs = 0
  }

  forget(side: object): void {
    this.#recent.delete(side)
    this.#older.delete(side)
  }
}
