import type { Address } from '../../chain/hex.ts'
import { LadderCache } from '../pool-maths/ladder-cache.ts'
import { boundOf } from '../pool-maths/output-bound.ts'
import type { PoolInState } from '../pool-maths/pool-in-state.ts'
import { PoolSide } from '../pool-maths/pool-side.ts'
import { grown } from './link-lists.ts'

const INITIAL_SIZE = 64
/** Pools that are kept ready to be quoted; with more of them all are made again as they are asked for. */
const MOST_READY = 20_000

/** The pools between two tokens, by ascending address: one mostly, which then stands for itself. */
type Parallel = PoolInState | PoolInState[]

/** What quotes the pools of a link, in their order. */
interface Ready {
  sides: PoolSide[]
  /** A pool has left or changed since the link's bound was taken: it may be too great, never too small. */
  isLoose: boolean
}

/** The pools of each link with their bounds. What quotes a pool is made when a search comes to it, and stays. */
export class LinkPools {
  /** By link: bound over its pools, see OutputBound. Loose until `sides` was called since the last change. */
  rate = new Float64Array(INITIAL_SIZE)
  depth = new Float64Array(INITIAL_SIZE)
  /** By half of the link's number. */
  readonly #pools: (Parallel | undefined)[] = []
  /** By link. */
  readonly #ready = new Map<number, Ready>()
  #readySides = 0
  readonly #ladders = new LadderCache()
  readonly #startOf: (link: number) => Address | undefined

  /** @param startOf the token that a link leads from */
  constructor(startOf: (link: number) => Address | undefined) {
    this.#startOf = startOf
  }

  /** Whether a link has several pools. */
  isParallel(link: number): boolean {
    return Array.isArray(this.#pools[link >> 1])
  }

  /** The pools of a link, by ascending address; good until the graph changes. */
  sides(link: number): readonly PoolSide[] {
    const ready = this.#ready.get(link) ?? this.#makeReady(link)
    if (ready.isLoose) this.#tighten(link, ready)
    return ready.sides
  }

  #makeReady(link: number): Ready {
    const sides = this.#poolsOf(link).map((one) => this.#side(link, one))
    if (this.#readySides + sides.length > MOST_READY) this.#forgetAll()
    const ready = { sides, isLoose: true }
    this.#ready.set(link, ready)
    this.#readySides += sides.length
    return ready
  }

  #side(link: number, one: PoolInState): PoolSide {
    return new PoolSide(one, one.pool.token0 === this.#startOf(link), this.#ladders)
  }

  #forgetAll(): void {
    for (const { sides } of this.#ready.values()) for (const side of sides) side.forget()
    this.#ready.clear()
    this.#readySides = 0
  }

  /** @param link one of the two between the pool's tokens */
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
    const at = placeOf(list, pool)
    list.splice(at, 0, pool)
    this.#pools[link >> 1] = list
    this.#widen(link, pool)
    for (const way of [link, link ^ 1]) {
      const ready = this.#ready.get(way)
      if (ready === undefined) continue
      ready.sides.splice(at, 0, this.#side(way, pool))
      this.#readySides++
    }
  }

  /** False when it was the last one of the link. */
  remove(link: number, pool: PoolInState): boolean {
    const pools = this.#poolsOf(link)
    const at = placeOf(pools, pool)
    for (const way of [link, link ^ 1]) {
      const ready = this.#ready.get(way)
      if (ready === undefined) continue
      ready.sides.splice(at, 1)[0]?.forget()
      ready.isLoose = true
      this.#readySides--
      if (pools.length === 1) this.#ready.delete(way)
    }
    const rest = pools.filter((one) => one !== pool)
    this.#pools[link >> 1] = rest.length > 1 ? rest : rest[0]
    if (rest.length === 1) this.#setBound(link, rest[0] as PoolInState)
    return rest.length > 0
  }

  /** To be called when a pool of the link has changed. */
  changed(link: number, pool: PoolInState): void {
    const pools = this.#poolsOf(link)
    if (pools.length === 1) this.#setBound(link, pool)
    else this.#widen(link, pool)
    const at = placeOf(pools, pool)
    for (const way of [link, link ^ 1]) {
      const ready = this.#ready.get(way)
      if (ready === undefined) continue
      ready.sides[at]?.changed()
      ready.isLoose = true
    }
  }

  /** Takes the bound of a link's only pool for the link's, both ways. */
  #setBound(link: number, pool: PoolInState): void {
    for (const way of [link, link ^ 1]) {
      const bound = boundOf(pool, pool.pool.token0 === this.#startOf(way))
      this.rate[way] = bound.rate
      this.depth[way] = bound.depth
    }
  }

  /** Makes the bound of a link with several pools hold for one of them as it is now, without a look at the others. */
  #widen(link: number, pool: PoolInState): void {
    for (const way of [link, link ^ 1]) {
      const bound = boundOf(pool, pool.pool.token0 === this.#startOf(way))
      this.rate[way] = Math.max(this.rate[way] as number, bound.rate)
      this.depth[way] = Math.min(this.depth[way] as number, bound.depth)
    }
  }

  /** Takes the bound of a link from those of its pools. */
  #tighten(link: number, ready: Ready): void {
    let [rate, depth] = [0, Number.POSITIVE_INFINITY]
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

/** Where a pool is among pools by ascending address, or would be. */
function placeOf(pools: readonly PoolInState[], { pool }: PoolInState): number {
  let [low, high] = [0, pools.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pools[middle] as PoolInState).pool.address < pool.address) low = middle + 1
    else high = middle
  }
  return low
}
