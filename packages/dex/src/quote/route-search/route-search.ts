import type { Address } from '../../chain/hex.ts'
import { upperBound } from '../pool-maths/output-bound.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import { LastLeg } from './last-leg.ts'
import { END } from './link-lists.ts'
import type { RouteGraph } from './route-graph.ts'
import { compareSteps, type Step, stepsThrough, type Valuation } from './way-value.ts'

/** Routes with at most this many pools are looked at. */
export type MaxHops = 1 | 2 | 3

export interface RouteQuery {
  sell: Address
  buy: Address
  maxHops: MaxHops
}

/**
 * The end of the route of the greatest value among all simple paths (no token twice) of at most `maxHops` pools; null
 * when none is feasible. Equal values: fewer hops, then, through the same last pool, the greater value before it, then
 * the lower pool addresses from the first pool on. A search that goes backward ends at `sell` and has these the other way
 * round.
 *
 * The result is that of trying every path. What makes it fast: bounds tell which ways along tokens may beat the best
 * so far, and only those are computed, beginning with the most promising one. As `sell` and `buy` are no intermediates,
 * a path of three hops can meet no token twice.
 */
export function searchRoute<V>(graph: RouteGraph, query: RouteQuery, valuation: Valuation<V>): Step<V> | null {
  const ends = [graph.token(query.sell), graph.token(query.buy)] as const
  const [from, to] = valuation.isBackward ? [ends[1], ends[0]] : ends
  if (from === null || to === null || from === to) return null
  return new RouteSearch(graph, from, to, valuation).best(query.maxHops)
}

/** Links from the token sold to some token, and a bound of the value that gets there. */
interface Way {
  first: number
  second: number | null
  potential: number
}

/** The ways to the first token of a last link. */
interface Approach {
  last: number
  ways: Way[]
  /** Bound of what comes out of the last link. */
  potential: number
}

/** With so few first links it is worth knowing their exact values beforehand. */
const FEW = 16

class RouteSearch<V> {
  readonly #graph: RouteGraph
  /** Ids of tokens. */
  readonly #from: number
  readonly #to: number
  readonly #valuation: Valuation<V>
  readonly #start: number
  readonly #impact: 0 | 1
  /** 1: the links lead from the token bought to the token sold, and their pools are those of the way back. */
  readonly #flip: 0 | 1
  readonly #firstSteps = new Map<number, Step<V>[]>()
  #bestStep: Step<V> | null = null
  /** A way whose potential is below this cannot win. */
  #floor = Number.NEGATIVE_INFINITY

  constructor(graph: RouteGraph, from: number, to: number, valuation: Valuation<V>) {
    this.#graph = graph
    this.#from = from
    this.#to = to
    this.#valuation = valuation
    this.#start = valuation.approximate(valuation.start)
    this.#impact = valuation.hasImpact ? 1 : 0
    this.#flip = valuation.isBackward ? 1 : 0
  }

  best(maxHops: MaxHops): Step<V> | null {
    this.#bestStep = this.#direct()
    if (maxHops >= 2) this.#take(this.#overOne())
    if (maxHops >= 3) this.#take(this.#overTwo())
    return this.#bestStep
  }

  #direct(): Step<V> | null {
    const link = this.#graph.link(this.#from, this.#to)
    const best = link === undefined ? undefined : this.#overFirst(link)[0]
    if (best === undefined) return null
    this.#floor = this.#valuation.approximate(best.value)
    return best
  }

  #overOne(): Approach[] {
    const approaches: Approach[] = []
    eachCommonPassage(this.#graph, this.#from, this.#to, (first, last) => {
      const way = { first, second: null, potential: this.#boundOfFirst(first) }
      const potential = this.#bound(last, way.potential)
      if (!(potential < this.#floor)) approaches.push({ last, ways: [way], potential })
    })
    return approaches
  }

  #overTwo(): Approach[] {
    const [graph, from, to] = [this.#graph, this.#from, this.#to]
    const approaches = new Map<number, Approach>()
    const add = (first: number, second: number, last: number, boundOfFirst: number) => {
      const way = { first, second, potential: this.#bound(second, boundOfFirst) }
      const potential = this.#bound(last, way.potential)
      if (potential < this.#floor) return
      const approach = approaches.get(last)
      if (approach === undefined) approaches.set(last, { last, ways: [way], potential })
      else {
        approach.ways.push(way)
        approach.potential = Math.max(approach.potential, potential)
      }
    }
    // Both ends must stay out of the middle. It is cheaper to begin at the end that has fewer ways to go.
    const { passages } = graph
    if (passages.count(from) <= passages.count(to)) {
      for (let first = passages.first(from); first !== END; first = passages.next[first] as number) {
        const one = graph.target[first] as number
        if (one === to) continue
        const bound = this.#boundOfFirst(first)
        eachCommonPassage(graph, one, to, (second, last) => {
          if (graph.target[second] !== from) add(first, second, last, bound)
        })
      }
    } else {
      for (let back = passages.first(to); back !== END; back = passages.next[back] as number) {
        const two = graph.target[back] as number
        if (two === from) continue
        eachCommonPassage(graph, from, two, (first, second) => {
          if (graph.target[first] !== to) add(first, second, back ^ 1, this.#boundOfFirst(first))
        })
      }
    }
    return [...approaches.values()]
  }

  #boundOfFirst(link: number): number {
    if (this.#graph.passages.count(this.#from) > FEW) return this.#bound(link, this.#start)
    const best = this.#overFirst(link)[0]
    return best === undefined ? 0 : this.#valuation.approximate(best.value)
  }

  #overFirst(link: number): Step<V>[] {
    let steps = this.#firstSteps.get(link)
    if (steps === undefined) {
      steps = stepsThrough(this.#sides(link), [null], this.#valuation)
      this.#firstSteps.set(link, steps)
    }
    return steps
  }

  #along({ first, second }: Way): Step<V>[] {
    const steps = this.#overFirst(first)
    return second === null ? steps : stepsThrough(this.#sides(second), steps, this.#valuation)
  }

  #sides(link: number): readonly PoolSide[] {
    return this.#graph.sides(link ^ this.#flip)
  }

  #bound(link: number, amount: number): number {
    const { rate, depth } = this.#graph
    const side = link ^ this.#flip
    return upperBound(rate[side] as number, (depth[side] as number) * this.#impact, amount)
  }

  /** Computes routes of one length, the most promising first, unless they cannot win. */
  #take(approaches: Approach[]): void {
    let best: Step<V> | null = null
    for (const approach of mostPromisingFirst(approaches)) {
      if (approach.potential < this.#floor) continue
      const last = new LastLeg(this.#sides(approach.last), this.#valuation)
      for (const way of mostPromisingFirst(approach.ways)) {
        if (!last.wants(way.potential) || this.#bound(approach.last, way.potential) < this.#floor) continue
        const step = last.enter(this.#along(way), (best ?? this.#bestStep)?.value ?? null)
        if (step === null) continue
        this.#floor = Math.max(this.#floor, this.#valuation.approximate(step.value))
        if (best === null || compareSteps(step, best, this.#valuation) < 0) best = step
      }
    }
    const shorter = this.#bestStep
    if (best === null) return
    if (shorter === null || this.#valuation.compare(best.value, shorter.value) > 0) this.#bestStep = best
  }
}

/** The same items; the most promising one has changed places with the first. */
function mostPromisingFirst<T extends { potential: number }>(items: T[]): T[] {
  let best = 0
  for (let at = 1; at < items.length; at++) {
    if ((items[at] as T).potential > (items[best] as T).potential) best = at
  }
  if (best > 0) [items[0], items[best]] = [items[best] as T, items[0] as T]
  return items
}

/** Visits every way between two tokens (by their ids) over a single other one. */
function eachCommonPassage(
  graph: RouteGraph,
  from: number,
  to: number,
  visit: (first: number, last: number) => void,
): void {
  const { passages } = graph
  if (passages.count(from) <= passages.count(to)) {
    for (let first = passages.first(from); first !== END; first = passages.next[first] as number) {
      const back = graph.link(to, graph.target[first] as number)
      if (back !== undefined) visit(first, back ^ 1)
    }
  } else {
    for (let back = passages.first(to); back !== END; back = passages.next[back] as number) {
      const first = graph.link(from, graph.target[back] as number)
      if (first !== undefined) visit(first, back ^ 1)
    }
  }
}
