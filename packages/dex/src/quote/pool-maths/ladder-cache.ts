import type { SwapLadder } from './swap-ladder.ts'

/** Limit of rungs of recently used ladders, about 200 bytes each: half of what is kept at most. */
const MOST_RUNGS = 60_000

/** Swap ladders kept between quotes. One is dropped if it is not used while others grow by 60,000 rungs. */
export class LadderCache {
  readonly #most: number
  /** Used since the last rotation. */
  #recent = new Map<object, SwapLadder>()
  /** Used between the last two rotations. */
  #older = new Map<object, SwapLadder>()
  #rungs = 0

  constructor(most = MOST_RUNGS) {
    this.#most = most
  }

  get rungs(): number {
    const all = [...this.#recent.values(), ...this.#older.values()]
    return all.reduce((sum, ladder) => sum + ladder.length, 0)
  }

  /** Returns the ladder of a pool's direction (a PoolSide); creates it if it is missing. */
  ladder(side: object, make: () => SwapLadder): SwapLadder {
    const recent = this.#recent.get(side)
    if (recent !== undefined) return recent
    const ladder = this.#older.get(side) ?? make()
    this.#older.delete(side)
    this.#recent.set(side, ladder)
    this.grew(ladder.length)
    return ladder
  }

  /** Call it when a kept ladder has more rungs. */
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
