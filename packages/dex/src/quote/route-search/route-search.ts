import type { Address } from '../../chain.ts'
import { type QuoteWork, WORK } from '../quote-work.ts'
import { Arrivals, type Inlet, OnlyPool, type SearchMeans, type Source } from './arrivals.ts'
import { END, type MarkedLinks } from './links.ts'
import { isRefusal, type Step, stepThrough, type Valuation } from './path-value.ts'
import type { Passage, RouteGraph } from './route-graph.ts'

export type MaxHops = 1 | 2 | 3

export interface RouteQuery {
  sell: Address
  buy: Address
  maxHops: MaxHops
  through?: Passage
  /** If no route has this value, any feasible route may be returned. */
  enough?: number
}

/**
 * Returns the end of the route with the greatest value among all simple paths of at most `maxHops` pools, or null if
 * none is feasible. Ties go to fewer hops; then, through the same pool, to the greater value before it; then to the
 * lower pool addresses from the first pool on (from the last one in a backward search). Among routes that buy nothing,
 * any may be returned.
 *
 * The result equals that of trying every path; bounds decide which paths and pools are computed (see Arrivals). `sell`
 * and `buy` are never intermediates, so a path of three hops cannot visit a token twice.
 *
 * @throws QuoteOverBudget
 */
export function searchRoute<V>(
  graph: RouteGraph,
  query: RouteQuery,
  valuation: Valuation<V>,
  work: QuoteWork,
): Step<V> | null {
  const ends = [graph.token(query.sell), graph.token(query.buy)] as const
  const [from, to] = valuation.isBackward ? [ends[1], ends[0]] : ends
  if (from === null || to === null || from === to) return null
  const flip = valuation.isBackward ? 1 : 0
  const { through = 'listed', enough = 0 } = query
  return new RouteSearch({ graph, through, valuation, work, flip }, from, to, enough).best(query.maxHops)
}

/** If there are at most this many first links, their exact values are computed first. */
const FEW = 16
/** A path whose bound exceeds the best value by this factor is computed immediately, for a limited number of probes. */
const FAR_ABOVE = 1.001
const MAX_PROBES = 32
const FEW_POOLS = 8
/** Reading this many marked links takes as long as one look-up. */
const MARKS_PER_LOOK = 4

class RouteSearch<V> {
  readonly #means: SearchMeans<V>
  readonly #from: number
  readonly #to: number
  readonly #start: Source<V>
  readonly #enough: number
  readonly #firsts = new Map<number, Source<V>>()
  readonly #hasFewFirsts: boolean
  #paths = new Paths()
  #probes = 0
  #bestStep: Step<V> | null = null
  /** Paths with a lower potential cannot win. */
  #floor = 0

  constructor(means: SearchMeans<V>, from: number, to: number, enough: number) {
    this.#enough = enough
    this.#means = means
    this.#from = from
    this.#to = to
    this.#hasFewFirsts = means.graph.passages[means.through].count(from) <= FEW
    const start = means.valuation.approximate(means.valuation.start)
    const potential = (index: number) => (index === 0 ? start : -1)
    this.#start = { potential, closePotential: potential, at: (index) => (index === 0 ? null : undefined) }
  }

  best(maxHops: MaxHops): Step<V> | null {
    const direct = this.#means.graph.link(this.#from, this.#to)
    if (direct !== undefined) this.#take([{ source: this.#start, link: direct }])
    if (maxHops >= 2) {
      this.#findOverOne()
      this.#take(this.#inlets())
    }
    if (maxHops >= 3) {
      this.#findOverTwo()
      this.#take(this.#inlets())
    }
    return this.#bestStep
  }

  #take(inlets: Iterable<Inlet<V>>): void {
    const { valuation } = this.#means
    const step = new Arrivals(this.#means, inlets).best(this.#floor, this.#enough)
    if (step === null) return
    if (this.#bestStep !== null && valuation.compare(step.value, this.#bestStep.value) <= 0) return
    this.#bestStep = step
    this.#floor = Math.max(valuation.approximate(step.value), this.#enough)
  }

  #inlets(): Iterable<Inlet<V>> {
    const inlets = new Map<number, Inlet<V>>()
    const middles = new Map<number, Arrivals<V>>()
    const paths = this.#paths
    this.#paths = new Paths()
    paths.forEach(this.#floor, (first, second, last) => {
      const middle = middles.get(last)
      if (middle !== undefined) return middle.add({ source: this.#first(first), link: second })
      const source = this.#sourceOf(first, second)
      if (source instanceof Arrivals) middles.set(last, source)
      inlets.set(last, { source, link: last })
    })
    return inlets.values()
  }

  #findOverOne(): void {
    const { graph, through, work } = this.#means
    const marked = graph.passagesOf(this.#to, through)
    const looked = eachCommonPassage(this.#means, [this.#from, this.#to], marked, (first, last) => {
      this.#consider(first, NO_LINK, last, this.#boundOfFirst(first))
    })
    work.spend(looked * WORK.path)
  }

  #findOverTwo(): void {
    const { graph, through, work } = this.#means
    const from = this.#from
    const to = this.#to
    // It is cheaper to start at the end with fewer links. Neither end may be in the middle of a path.
    const passages = graph.passages[through]
    const isForward = passages.count(from) <= passages.count(to)
    const marked = graph.passagesOf(isForward ? to : from, through)
    if (isForward) {
      for (let first = passages.first(from); first !== END; first = passages.next[first] as number) {
        const near = graph.target[first] as number
        if (near === to) continue
        const bound = this.#boundOfFirst(first)
        const looked = eachCommonPassage(this.#means, [near, to], marked, (second, last) => {
          if (graph.target[second] !== from) this.#consider(first, second, last, bound)
        })
        work.spend((1 + looked) * WORK.path)
      }
    } else {
      for (let back = passages.first(to); back !== END; back = passages.next[back] as number) {
        const far = graph.target[back] as number
        if (far === from) continue
        const looked = eachCommonPassage(this.#means, [far, from], marked, (second, first) => {
          const link = first ^ 1
          if (graph.target[link] !== to) this.#consider(link, second ^ 1, back ^ 1, this.#boundOfFirst(link))
        })
        work.spend((1 + looked) * WORK.path)
      }
    }
  }

  /** A path far above the best is computed immediately, so that most others need not be kept. */
  #consider(first: number, second: number, last: number, boundOfFirst: number): void {
    const potential = this.#bound(last, second === NO_LINK ? boundOfFirst : this.#bound(second, boundOfFirst))
    if (potential < this.#floor) return
    this.#paths.add(first, second, last, potential)
    if (potential <= this.#floor * FAR_ABOVE || this.#probes >= MAX_PROBES) return
    this.#probe(second === NO_LINK ? [first, last] : [first, second, last])
  }

  #probe(links: readonly number[]): void {
    this.#probes++
    let step: Step<V> | null = null
    for (const link of links) {
      step = this.#cheapStep(link, step)
      if (step === null) return
    }
    if (step !== null) this.#floor = Math.max(this.#floor, this.#means.valuation.approximate(step.value))
  }

  #cheapStep(link: number, before: Step<V> | null): Step<V> | null {
    const { graph, valuation, flip } = this.#means
    const value = valuation.approximate(before === null ? valuation.start : before.value)
    const sides = graph.pools.sides(link ^ flip)
    if (sides.length > FEW_POOLS) return null
    let best: Step<V> | null = null
    for (const side of sides) {
      const { rate, depth } = side.bound
      if (best !== null && valuation.bound(rate, depth, value) < valuation.approximate(best.value)) continue
      const step = valuation.isCheap(side, value) ? stepThrough(side, before, valuation) : 'too great'
      if (!isRefusal(step) && (best === null || valuation.compare(step.value, best.value) > 0)) best = step
    }
    return best
  }

  #sourceOf(first: number, second: number): Source<V> {
    const source = this.#first(first)
    return second === NO_LINK ? source : new Arrivals(this.#means, [{ source, link: second }])
  }

  /**
   * Returns the exact output, or a bound. With several pools the bound is useless, because a single pool of dust spoils
   * it.
   */
  #boundOfFirst(link: number): number {
    const { graph, valuation } = this.#means
    if (!this.#hasFewFirsts && !graph.pools.isParallel(link)) {
      return this.#bound(link, valuation.approximate(valuation.start))
    }
    const best = this.#first(link).at(0)
    return best === undefined || best === null ? -1 : valuation.approximate(best.value)
  }

  #first(link: number): Source<V> {
    let source = this.#firsts.get(link)
    if (source === undefined) {
      const { graph, valuation, flip } = this.#means
      const only = graph.pools.isParallel(link) ? undefined : graph.pools.sides(link ^ flip)[0]
      source =
        only !== undefined ? new OnlyPool(only, valuation) : new Arrivals(this.#means, [{ source: this.#start, link }])
      this.#firsts.set(link, source)
    }
    return source
  }

  /** Passes on a negative amount, which stands for a missing value. */
  #bound(link: number, amount: number): number {
    if (amount < 0) return amount
    const { graph, valuation, flip } = this.#means
    const { rate, depth } = graph.pools
    const poolLink = link ^ flip
    return valuation.bound(rate[poolLink] as number, depth[poolLink] as number, amount)
  }
}

/** Visits every path over a third token, and returns how many links were read. `marked` holds the passages of `far`. */
function eachCommonPassage(
  { graph, through }: { graph: RouteGraph; through: Passage },
  [near, far]: readonly [number, number],
  marked: MarkedLinks,
  visit: (first: number, last: number) => void,
): number {
  const { target } = graph
  const passages = graph.passages[through]
  const looked = passages.count(near)
  const others = passages.count(far)
  if (looked <= MARKS_PER_LOOK * others) {
    for (let first = passages.first(near); first !== END; first = passages.next[first] as number) {
      const back = marked.get(target[first] as number)
      if (back !== undefined) visit(first, back ^ 1)
    }
    return looked
  }
  for (let back = passages.first(far); back !== END; back = passages.next[back] as number) {
    const first = graph.link(near, target[back] as number)
    if (first !== undefined) visit(first, back ^ 1)
  }
  return others
}

const NO_LINK = -1

/** In columns, because there may be tens of thousands of paths. */
class Paths {
  readonly #firsts: number[] = []
  readonly #seconds: number[] = []
  readonly #lasts: number[] = []
  readonly #potentials: number[] = []

  add(first: number, second: number, last: number, potential: number): void {
    this.#firsts.push(first)
    this.#seconds.push(second)
    this.#lasts.push(last)
    this.#potentials.push(potential)
  }

  forEach(minPotential: number, visit: (first: number, second: number, last: number) => void): void {
    for (let index = 0; index < this.#potentials.length; index++) {
      if ((this.#potentials[index] as number) < minPotential) continue
      visit(this.#firsts[index] as number, this.#seconds[index] as number, this.#lasts[index] as number)
    }
  }
}
