import type { Address } from '../../chain/hex.ts'
import { type QuoteWork, WORK } from '../quote-work.ts'
import { Arrivals, type Inlet, type SearchMeans, type Source } from './arrivals.ts'
import { END, type MarkedLinks } from './link-lists.ts'
import { OnlyPool } from './only-pool.ts'
import { isRefusal, type Step, stepThrough, type Valuation } from './path-value.ts'
import type { RouteGraph } from './route-graph.ts'

/** Routes with at most this many pools are looked at. */
export type MaxHops = 1 | 2 | 3

export interface RouteQuery {
  sell: Address
  buy: Address
  maxHops: MaxHops
  /** Where no route has this value, any feasible one will do. */
  enough?: number
}

/**
 * The end of the route of the greatest value among all simple paths (no token twice) of at most `maxHops` pools; null
 * when none is feasible. Equal values: fewer hops, then, through the same pool, the greater value before it, then the
 * lower pool addresses from the first pool on. A search that goes backward ends at `sell` and has these the other way
 * round. Which of several routes that buy nothing it is, is open.
 *
 * The result is that of trying every path. What makes it fast: bounds tell which ways along tokens, and which pools of
 * a way, may beat the best so far, and only those are computed, beginning with the most promising one (see Arrivals).
 * As `sell` and `buy` are no intermediates, a path of three hops can meet no token twice.
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
  return new RouteSearch({ graph, valuation, work, flip }, from, to, query.enough ?? 0).best(query.maxHops)
}

/** With so few first links it is worth knowing their exact values beforehand. */
const FEW = 16
/** So much above the best so far is a promise worth a look at once; so many are followed, since they may be empty. */
const FAR_ABOVE = 1.001
const MOST_PROBES = 32
const FEW_POOLS = 8
/** As many marked links can be asked for as others be looked up in the same time. */
const MARKS_PER_LOOK = 4

class RouteSearch<V> {
  readonly #means: SearchMeans<V>
  /** Ids of tokens. */
  readonly #from: number
  readonly #to: number
  readonly #start: Source<V>
  readonly #enough: number
  /** What gets to the end of each first link. */
  readonly #firsts = new Map<number, Source<V>>()
  readonly #hasFewFirsts: boolean
  #probes = 0
  #bestStep: Step<V> | null = null
  /** A way whose potential is below this cannot win. */
  #floor = 0

  constructor(means: SearchMeans<V>, from: number, to: number, enough: number) {
    this.#enough = enough
    this.#means = means
    this.#from = from
    this.#to = to
    this.#hasFewFirsts = means.graph.passages.count(from) <= FEW
    const start = means.valuation.approximate(means.valuation.start)
    const potential = (at: number) => (at === 0 ? start : -1)
    this.#start = { potential, closePotential: potential, at: (at) => (at === 0 ? null : undefined) }
  }

  best(maxHops: MaxHops): Step<V> | null {
    const direct = this.#means.graph.link(this.#from, this.#to)
    if (direct !== undefined) this.#take([{ source: this.#start, link: direct }])
    if (maxHops >= 2) this.#take(this.#inlets(this.#overOne()))
    if (maxHops >= 3) this.#take(this.#inlets(this.#overTwo()))
    return this.#bestStep
  }

  /** Takes the best route of one length if it is better than the shorter ones. */
  #take(inlets: Iterable<Inlet<V>>): void {
    const { valuation } = this.#means
    const step = new Arrivals(this.#means, inlets).best(this.#floor, this.#enough)
    if (step === null) return
    if (this.#bestStep !== null && valuation.compare(step.value, this.#bestStep.value) <= 0) return
    this.#bestStep = step
    this.#floor = Math.max(valuation.approximate(step.value), this.#enough)
  }

  /** Ways that may still win, together where they share their last link. */
  #inlets(ways: Ways): Iterable<Inlet<V>> {
    const inlets = new Map<number, Inlet<V>>()
    const middles = new Map<number, Arrivals<V>>()
    ways.forEach(this.#floor, (first, second, last) => {
      const middle = middles.get(last)
      if (middle !== undefined) return middle.add({ source: this.#first(first), link: second })
      const source = this.#sourceOf(first, second)
      if (source instanceof Arrivals) middles.set(last, source)
      inlets.set(last, { source, link: last })
    })
    return inlets.values()
  }

  #overOne(): Ways {
    const { graph, work } = this.#means
    const ways = new Ways()
    const marked = graph.passagesOf(this.#to)
    const looked = eachCommonPassage(graph, [this.#from, this.#to], marked, (first, last) => {
      this.#consider(ways, first, NO_LINK, last, this.#boundOfFirst(first))
    })
    work.spend(looked * WORK.way)
    return ways
  }

  #overTwo(): Ways {
    const { graph, work } = this.#means
    const [from, to] = [this.#from, this.#to]
    const ways = new Ways()
    // Both ends must stay out of the middle. It is cheaper to begin at the end that has fewer ways to go.
    const { passages } = graph
    const isForward = passages.count(from) <= passages.count(to)
    const marked = graph.passagesOf(isForward ? to : from)
    if (isForward) {
      for (let first = passages.first(from); first !== END; first = passages.next[first] as number) {
        const one = graph.target[first] as number
        if (one === to) continue
        const bound = this.#boundOfFirst(first)
        const looked = eachCommonPassage(graph, [one, to], marked, (second, last) => {
          if (graph.target[second] !== from) this.#consider(ways, first, second, last, bound)
        })
        work.spend((1 + looked) * WORK.way)
      }
    } else {
      for (let back = passages.first(to); back !== END; back = passages.next[back] as number) {
        const two = graph.target[back] as number
        if (two === from) continue
        const looked = eachCommonPassage(graph, [two, from], marked, (second, first) => {
          const way = first ^ 1
          if (graph.target[way] !== to) this.#consider(ways, way, second ^ 1, back ^ 1, this.#boundOfFirst(way))
        })
        work.spend((1 + looked) * WORK.way)
      }
    }
    return ways
  }

  /**
   * Adds a way that may win. One that promises far more than the best so far is worked out at once, so that most of the
   * others need not even be kept.
   */
  #consider(ways: Ways, first: number, second: number, last: number, boundOfFirst: number): void {
    const potential = this.#bound(last, second === NO_LINK ? boundOfFirst : this.#bound(second, boundOfFirst))
    if (potential < this.#floor) return
    ways.add(first, second, last, potential)
    if (potential > this.#floor * FAR_ABOVE && this.#probes < MOST_PROBES) this.#probe([first, second, last])
  }

  /** Raises the floor by what a way pays, where that is cheap to know. */
  #probe(links: readonly number[]): void {
    this.#probes++
    let step: Step<V> | null = null
    for (const link of links) {
      if (link === NO_LINK) continue
      step = this.#cheapStep(link, step)
      if (step === null) return
    }
    if (step !== null) this.#floor = Math.max(this.#floor, this.#means.valuation.approximate(step.value))
  }

  /** What one of a link's pools gives, the best of few; null where that is not cheap to know. */
  #cheapStep(link: number, before: Step<V> | null): Step<V> | null {
    const { graph, valuation, flip } = this.#means
    const value = valuation.approximate(before === null ? valuation.start : before.value)
    const sides = graph.sides(link ^ flip)
    let best: Step<V> | null = null
    for (const side of sides.length > FEW_POOLS ? [] : sides) {
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

  /** What the link's best pool gives, or a bound of it. A bound over several pools says little: one of dust spoils it. */
  #boundOfFirst(link: number): number {
    const { graph, valuation } = this.#means
    if (!this.#hasFewFirsts && !graph.isParallel(link)) {
      return this.#bound(link, valuation.approximate(valuation.start))
    }
    const best = this.#first(link).at(0)
    return best === undefined || best === null ? -1 : valuation.approximate(best.value)
  }

  #first(link: number): Source<V> {
    let source = this.#firsts.get(link)
    if (source === undefined) {
      const { graph, valuation, flip } = this.#means
      const only = graph.isParallel(link) ? undefined : graph.sides(link ^ flip)[0]
      source =
        only !== undefined ? new OnlyPool(only, valuation) : new Arrivals(this.#means, [{ source: this.#start, link }])
      this.#firsts.set(link, source)
    }
    return source
  }

  /** Negative for a negative amount, which is none. */
  #bound(link: number, amount: number): number {
    if (amount < 0) return amount
    const { graph, valuation, flip } = this.#means
    const side = link ^ flip
    return valuation.bound(graph.rate[side] as number, graph.depth[side] as number, amount)
  }
}

/**
 * How many ways it looked at: visits every one between two tokens (by their ids) over a single other one.
 *
 * @param marked the passages of `far`
 */
function eachCommonPassage(
  graph: RouteGraph,
  [near, far]: readonly [number, number],
  marked: MarkedLinks,
  visit: (first: number, last: number) => void,
): number {
  const { passages, target } = graph
  const [looked, others] = [passages.count(near), passages.count(far)]
  // A mark costs less than looking a link up.
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

/** No second link: a way of two links. */
const NO_LINK = -1

/** Ways along tokens, and what does not come out of them: in columns, since there may be ten thousands. */
class Ways {
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

  /** Visits those of this potential at least. */
  forEach(least: number, visit: (first: number, second: number, last: number) => void): void {
    for (let at = 0; at < this.#potentials.length; at++) {
      if ((this.#potentials[at] as number) < least) continue
      visit(this.#firsts[at] as number, this.#seconds[at] as number, this.#lasts[at] as number)
    }
  }
}
