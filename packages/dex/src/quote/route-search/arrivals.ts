import type { PoolSide } from '../pool-maths/pool-side.ts'
import { type QuoteWork, WORK } from '../quote-work.ts'
import { compareSteps, isRefusal, type Step, stepThrough, type Valuation } from './path-value.ts'
import type { Passage, RouteGraph } from './route-graph.ts'

export interface SearchMeans<V> {
  graph: RouteGraph
  through: Passage
  valuation: Valuation<V>
  work: QuoteWork
  /** 1 if links lead from the token bought to the token sold. Their pools are then those of the opposite direction. */
  flip: 0 | 1
}

/** Values that reach a token, greatest first, computed on demand. */
export interface Source<V> {
  /** Returns an upper bound of all values from an index on, or a negative number if there are none. */
  potential(index: number): number
  /** Returns a closer bound without computing a value. */
  closePotential(index: number): number
  /** Returns null for the start, before any pool, or undefined if there are no more values. */
  at(index: number): Step<V> | null | undefined
}

export interface Inlet<V> {
  source: Source<V>
  link: number
}

interface Pending<V> {
  key: number
  inlet: Inlet<V>
  side: PoolSide | null
  index: number
  /** The input for which `key` is a close bound; infinite while `key` is the rough bound. */
  value: number
}

interface Reached<V> {
  step: Step<V>
  key: number
  from: Pending<V>
}

/** The relative error of an exact value in floating point; bounds exceed values by more. */
const NEAR = 1 - 1e-12

/**
 * The steps that reach a token through several links, preferred ones first (see compareSteps). Inlets, and then their
 * pools, have bounds. Only the one with the greatest bound advances, first to a closer bound and finally to its exact
 * value. Pools are monotone, so the greatest value that a pool accepts enters first, and smaller ones only after that
 * step is used.
 */
export class Arrivals<V> implements Source<V> {
  readonly #means: SearchMeans<V>
  readonly #pending = new Heap<Pending<V>>((a, b) => a.key > b.key)
  readonly #reached: Heap<Reached<V>>
  readonly #steps: Step<V>[] = []

  constructor(means: SearchMeans<V>, inlets: Iterable<Inlet<V>>) {
    this.#means = means
    this.#reached = new Heap((a, b) => compareSteps(a.step, b.step, means.valuation) < 0)
    for (const inlet of inlets) this.add(inlet)
  }

  /** Must be called before the first step is requested. */
  add(inlet: Inlet<V>): void {
    const key = this.#linkBound(inlet)
    if (key >= 0) this.#pending.push({ key, inlet, side: null, index: 0, value: 0 })
  }

  potential(index: number): number {
    const step = this.#steps[index]
    if (step !== undefined) return this.#means.valuation.approximate(step.value)
    return Math.max(this.#reached.first?.key ?? -1, this.#pending.first?.key ?? -1)
  }

  closePotential(index: number): number {
    if (index < this.#steps.length) return this.potential(index)
    for (;;) {
      const next = this.#pending.first
      if (next === undefined || cannotBeat(next.key, this.#reached.first?.key ?? -1)) return this.potential(index)
      const { inlet, side } = next
      const value = side === null ? Number.NEGATIVE_INFINITY : inlet.source.closePotential(next.index)
      if (side !== null && value >= next.value) return this.potential(index)
      this.#pending.pop()
      this.#means.work.spend(WORK.bound)
      if (side === null) {
        if (this.#open(next)) this.#pending.push(next)
      } else if (value >= 0) {
        this.#close(next, side, value)
        this.#pending.push(next)
      }
    }
  }

  at(index: number): Step<V> | undefined {
    while (this.#steps.length <= index) {
      const step = this.#next(0)
      if (step === null) return undefined
      this.#steps.push(step)
    }
    return this.#steps[index]
  }

  /** Returns null if no step has at least `floor`. If no step has `enough`, any step may be returned. */
  best(floor: number, enough = 0): Step<V> | null {
    return this.#steps[0] ?? this.#next(floor, enough)
  }

  #next(floor: number, enough = 0): Step<V> | null {
    for (;;) {
      const best = this.#reached.first
      const next = this.#pending.first
      if (best !== undefined && (next === undefined || next.key < enough || cannotBeat(next.key, best.key))) {
        this.#reached.pop()
        const { inlet, side, index } = best.from
        if (side !== null) this.#enter(inlet, side, index + 1)
        return best.step
      }
      if (next === undefined || next.key < floor) return null
      this.#pending.pop()
      this.#goOn(next, floor)
    }
  }

  #goOn(next: Pending<V>, floor: number): void {
    if (next.side === null && !this.#open(next)) return
    const { valuation, work } = this.#means
    const { inlet, side, index } = next
    if (side === null) return
    work.spend(WORK.bound)
    const potential = inlet.source.closePotential(index)
    if (potential < next.value && !this.#isStillFirst(next, side, potential, floor)) return
    const before = inlet.source.at(index)
    if (before === undefined) return
    const value = before === null ? next.value : valuation.approximate(before.value)
    if (value < next.value && !this.#isStillFirst(next, side, value, floor)) return
    const step = stepThrough(side, before, valuation)
    if (!isRefusal(step)) this.#reached.push({ step, key: valuation.approximate(step.value), from: next })
    else if (step === 'too great') this.#enter(inlet, side, index + 1)
  }

  #isStillFirst(next: Pending<V>, side: PoolSide, value: number, floor: number): boolean {
    const other = Math.max(this.#pending.first?.key ?? -1, this.#reached.first?.key ?? -1)
    if (value < 0) return false
    // Without competitors, a closer bound is unnecessary.
    if (other < 0 && floor <= 0) next.value = value
    else this.#close(next, side, value)
    if (next.key >= other) return true
    this.#pending.push(next)
    return false
  }

  #close(next: Pending<V>, side: PoolSide, value: number): void {
    next.key = Math.min(next.key, this.#means.valuation.closeBound(side, value))
    next.value = value
  }

  #open(closed: Pending<V>): boolean {
    const { inlet } = closed
    const key = this.#linkBound(inlet)
    // The entering value may be smaller than expected.
    if (key < closed.key) {
      closed.key = key
      if (key >= 0) this.#pending.push(closed)
      return false
    }
    const { graph, flip } = this.#means
    const sides = graph.pools.sides(inlet.link ^ flip)
    if (sides.length === 1) {
      closed.side = sides[0] as PoolSide
      closed.value = Number.POSITIVE_INFINITY
      return true
    }
    for (const side of sides) this.#enter(inlet, side, 0)
    return false
  }

  #enter(inlet: Inlet<V>, side: PoolSide, index: number): void {
    const { valuation, work } = this.#means
    work.spend(WORK.bound)
    const value = inlet.source.potential(index)
    if (value < 0) return
    const { rate, depth } = side.bound
    this.#pending.push({
      key: valuation.bound(rate, depth, value),
      inlet,
      side,
      index,
      value: Number.POSITIVE_INFINITY,
    })
  }

  #linkBound({ source, link }: Inlet<V>): number {
    const value = source.potential(0)
    if (value < 0) return -1
    const { graph, valuation, flip } = this.#means
    const { rate, depth } = graph.pools
    const poolLink = link ^ flip
    return valuation.bound(rate[poolLink] as number, depth[poolLink] as number, value)
  }
}

/** Routes that buy nothing count as equal: there may be many of them, and none gives a price. */
function cannotBeat(bound: number, value: number): boolean {
  return bound < value * NEAR || (bound === 0 && value === 0)
}

/** The single value that passes a first link with only one pool. */
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

  potential(index: number): number {
    return index === 0 ? this.#potential : -1
  }

  closePotential(index: number): number {
    if (index === 0 && this.#step === null) {
      const start = this.#valuation.approximate(this.#valuation.start)
      this.#potential = Math.min(this.#potential, this.#valuation.closeBound(this.#side, start))
    }
    return this.potential(index)
  }

  at(index: number): Step<V> | undefined {
    if (index > 0) return undefined
    if (this.#step === null) {
      const step = stepThrough(this.#side, null, this.#valuation)
      this.#step = isRefusal(step) ? undefined : step
      this.#potential = this.#step === undefined ? -1 : this.#valuation.approximate(this.#step.value)
    }
    return this.#step
  }
}

class Heap<T> {
  readonly #items: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let index = items.length
    items.push(item)
    while (index > 0) {
      const parent = (index - 1) >>> 1
      if (!this.#isBefore(item, items[parent] as T)) break
      items[index] = items[parent] as T
      index = parent
    }
    items[index] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#isBefore(items[child + 1] as T, items[child] as T)) child++
      if (!this.#isBefore(items[child] as T, last)) break
      items[index] = items[child] as T
      index = child
    }
    items[index] = last
    return first
  }
}
