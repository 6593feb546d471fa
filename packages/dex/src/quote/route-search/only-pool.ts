import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { Source } from './arrivals.ts'
import { isRefusal, type Step, stepThrough, type Valuation } from './path-value.ts'

/** What passes a first link of one pool: a single value, computed on demand. */
export class OnlyPool<V> implements Source<V> {
  readonly #side: PoolSide
  readonly #valuation: Valuation<V>
  #potential: number
  #step: Step<V> | null | undefined = null

  constructor(side: PoolSide, valuation: Valuation<V>) {
    this.#side = side
    this.#valuation = valuation
    const { rate, depth } = side.bound
    this.#potential = valuation.bound(rate, depth, valuation.approximate(valuation.start))
  }

  potential(at: number): number {
    return at === 0 ? this.#potential : -1
  }

  closePotential(at: number): number {
    if (at === 0 && this.#step === null) {
      const start = this.#valuation.approximate(this.#valuation.start)
      this.#potential = Math.min(this.#potential, this.#valuation.closeBound(this.#side, start))
    }
    return this.potential(at)
  }

  at(at: number): Step<V> | undefined {
    if (at > 0) return undefined
    if (this.#step === null) {
      const step = stepThrough(this.#side, null, this.#valuation)
      this.#step = isRefusal(step) ? undefined : step
      this.#potential = this.#step === undefined ? -1 : this.#valuation.approximate(this.#step.value)
    }
    return this.#step
  }
}
