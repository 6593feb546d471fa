import type { PoolSide } from '../pool-maths/pool-side.ts'
import { compareSteps, type Step, stepThrough, type Valuation } from './way-value.ts'

/**
 * The parallel pools of a route's last leg, each with the best route through it so far.
 *
 * Pools are monotone, so each is best entered with the greatest value that it can take. Smaller ones matter only where
 * a greater one exhausts the pool, and not even there when all that the pool holds is too little.
 */
export class LastLeg<V> {
  readonly #valuation: Valuation<V>
  /** Pools that may still be entered with more. */
  #open: { side: PoolSide; best: Step<V> | null }[]

  constructor(sides: readonly PoolSide[], valuation: Valuation<V>) {
    this.#valuation = valuation
    this.#open = sides.map((side) => ({ side, best: null }))
  }

  /** Leads routes to the leg's first token, preferred ones first, through its pools: the best that comes out now. */
  enter(arriving: readonly Step<V>[], least: V | null): Step<V> | null {
    let best: Step<V> | null = null
    const stillOpen: { side: PoolSide; best: Step<V> | null }[] = []
    for (const pool of this.#open) {
      const exhausted = this.#enterOne(pool, arriving)
      const hopeless = exhausted && least !== null && this.#valuation.cannotGive(pool.side, least)
      if (!hopeless) stillOpen.push(pool)
      if (pool.best !== null && (best === null || compareSteps(pool.best, best, this.#valuation) < 0)) best = pool.best
    }
    this.#open = stillOpen
    return best
  }

  /** Whether a route that brings at most `greatest` can be of use. */
  wants(greatest: number): boolean {
    return this.#open.some(({ best }) => {
      const before = best?.before ?? null
      return before === null || !(greatest < this.#valuation.approximate(before.value))
    })
  }

  /** True when the pool could not take the first of `arriving`; where one is too great, those before it are. */
  #enterOne(pool: { side: PoolSide; best: Step<V> | null }, arriving: readonly Step<V>[]): boolean {
    const known = pool.best?.before ?? null
    let [low, high] = [0, arriving.length]
    for (let at = 0; low < high; at = (low + high) >>> 1) {
      const before = arriving[at] as Step<V>
      const isBetter = known === null || compareSteps(before, known, this.#valuation) < 0
      const step = isBetter ? stepThrough(pool.side, before, this.#valuation) : 'too small'
      if (step === 'too great') low = at + 1
      else {
        high = at
        if (step !== 'too small') pool.best = step
      }
    }
    return low > 0
  }
}
