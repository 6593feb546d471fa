import type { Address } from '../../chain.ts'
import type { OutputBound } from '../../maths/formula.ts'
import { boundOf, type PoolInState } from '../pool-maths/pool-in-state.ts'
import { PoolSide } from '../pool-maths/pool-side.ts'
import { LadderCache } from '../pool-maths/swap-ladder.ts'
import { grown } from './links.ts'

const INITIAL_SIZE = 64
/** Limit on pools kept ready for quotes. Beyond it, all are dropped and created again on demand. */
const MAX_READY = 20_000

/** In ascending order of address; a single pool needs no list. */
type Parallel = PoolInState | PoolInState[]

interface Ready {
  sides: PoolSide[]
  /** After a removal or a change, the bound may be too great, but never too small. */
  isLoose: boolean
}

export class LinkPools {
  /** A bound for all pools of a link. After a change, it may be too great until `sides` is called. */
  rate = new Float64Array(INITIAL_SIZE)
  depth = new Float64Array(INITIAL_SIZE)
  /** Indexed by half of the link's number. */
  readonly #pools: (Parallel | undefined)[] = []
  readonly #ready = new Map<number, Ready>()
  #readySides = 0
  readonly #ladders = new LadderCache()
  readonly #startOf: (link: number) => Address | undefined

  constructor(startOf: (link: number) => Address | undefined) {
    this.#startOf = startOf
  }

  isParallel(link: number): boolean {
    return Array.isArray(this.#pools[link >> 1])
  }

  /** In ascending order of pool address; valid until the graph changes. */
  sides(link: number): readonly PoolSide[] {
    const ready = this.#ready.get(link) ?? this.#makeReady(link)
    if (ready.isLoose) this.#tighten(link, ready)
    return ready.sides
  }

  #makeReady(link: number): Ready {
    const sides = this.#poolsOf(link).map((poolInState) => this.#side(link, poolInState))
    if (this.#readySides + sides.length > MAX_READY) this.#forgetAll()
    const ready = { sides, isLoose: true }
    this.#ready.set(link, ready)
    this.#readySides += sides.length
    return ready
  }

  #side(link: number, poolInState: PoolInState): PoolSide {
    return new PoolSide(poolInState, poolInState.pool.token0 === this.#startOf(link), this.#ladders)
  }

  #forgetAll(): void {
    for (const { sides } of this.#ready.values()) for (const side of sides) side.forget()
    this.#ready.clear()
    this.#readySides = 0
  }

  /** @param link one of the two links between the pool's tokens */
  add(link: number, pool: PoolInState): void {
    const pools = this.#pools[link >> 1]
    if (pools === undefined) {
      this.#pools[link >> 1] = pool
      if ((link | 1) >= this.rate.length) {
        this.rate = grown(this.rate, link | 1)
        this.depth = grown(this.depth, link | 1)
      }
      this.#setBound(link, pool)
      return
    }
    const list = Array.isArray(pools) ? pools : [pools]
    const place = placeOf(list, pool)
    list.splice(place, 0, pool)
    this.#pools[link >> 1] = list
    this.#widen(link, pool)
    for (const direction of [link, link ^ 1]) {
      const ready = this.#ready.get(direction)
      if (ready === undefined) continue
      ready.sides.splice(place, 0, this.#side(direction, pool))
      this.#readySides++
    }
  }

  /** Returns false if it was the last pool of the link. */
  remove(link: number, pool: PoolInState): boolean {
    const pools = this.#poolsOf(link)
    const place = placeOf(pools, pool)
    for (const direction of [link, link ^ 1]) {
      const ready = this.#ready.get(direction)
      if (ready === undefined) continue
      ready.sides.splice(place, 1)[0]?.forget()
      ready.isLoose = true
      this.#readySides--
      if (pools.length === 1) this.#ready.delete(direction)
    }
    const rest = pools.filter((poolInState) => poolInState !== pool)
    this.#pools[link >> 1] = rest.length > 1 ? rest : rest[0]
    if (rest.length === 1) this.#setBound(link, rest[0] as PoolInState)
    return rest.length > 0
  }

  changed(link: number, pool: PoolInState): void {
    const pools = this.#poolsOf(link)
    if (pools.length === 1) this.#setBound(link, pool)
    else this.#widen(link, pool)
    const place = placeOf(pools, pool)
    for (const direction of [link, link ^ 1]) {
      const ready = this.#ready.get(direction)
      if (ready === undefined) continue
      ready.sides[place]?.changed()
      ready.isLoose = true
    }
  }

  #setBound(link: number, pool: PoolInState): void {
    for (const direction of [link, link ^ 1]) {
      const bound = this.#boundOf(direction, pool)
      this.rate[direction] = bound.rate
      this.depth[direction] = bound.depth
    }
  }

  #widen(link: number, pool: PoolInState): void {
    for (const direction of [link, link ^ 1]) {
      const bound = this.#boundOf(direction, pool)
      this.rate[direction] = Math.max(this.rate[direction] as number, bound.rate)
      this.depth[direction] = Math.min(this.depth[direction] as number, bound.depth)
    }
  }

  #boundOf(link: number, pool: PoolInState): OutputBound {
    return boundOf(pool, pool.pool.token0 === this.#startOf(link))
  }

  #tighten(link: number, ready: Ready): void {
    let rate = 0
    let depth = Number.POSITIVE_INFINITY
    for (const { bound } of ready.sides) {
      if (bound.rate > rate) rate = bound.rate
      if (bound.depth < depth) depth = bound.depth
    }
    this.rate[link] = rate
    this.depth[link] = depth
    ready.isLoose = false
  }

  #poolsOf(link: number): readonly PoolInState[] {
    const pools = this.#pools[link >> 1]
    return pools === undefined ? [] : Array.isArray(pools) ? pools : [pools]
  }
}

function placeOf(pools: readonly PoolInState[], { pool }: PoolInState): number {
  let low = 0
  let high = pools.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pools[middle] as PoolInState).pool.address < pool.address) low = middle + 1
    else high = middle
  }
  return low
}
