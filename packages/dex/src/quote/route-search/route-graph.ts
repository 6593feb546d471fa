import type { Address } from '../../chain/hex.ts'
import { boundOf } from '../pool-maths/pool-bound.ts'
import type { PoolInState } from '../pool-maths/pool-in-state.ts'
import { PoolSide } from '../pool-maths/pool-side.ts'
import { grown } from './grown.ts'
import { LinkIndex } from './link-index.ts'
import { END, LinkLists } from './link-lists.ts'

const INITIAL_SIZE = 64
/** Links whose pools are kept ready to be quoted; with more of them all are made again as they are asked for. */
const MOST_READY = 20_000

/** The pools between two tokens, by ascending address: one mostly, which then stands for itself. */
type Parallel = PoolInState | PoolInState[]

/**
 * Tokens that pools trade now, by ids, and a link for each direction between two that have pools in common. A market
 * has hundreds of thousands of both, and searching a route walks tens of thousands of links: so all of it are numbers
 * in columns, and what quotes a pool is made when a search comes to it. `link ^ 1` is the way back.
 */
export class RouteGraph {
  /** By link: the token's id at its end. */
  target = new Int32Array(INITIAL_SIZE)
  /** By link: bound over its pools, see OutputBound. */
  rate = new Float64Array(INITIAL_SIZE)
  depth = new Float64Array(INITIAL_SIZE)
  /** By token: the links to the neighbours that a route can pass through: passable ones that have another neighbour. */
  readonly passages = new LinkLists()
  readonly #links = new LinkLists()
  readonly #between = new LinkIndex()
  /** By token's id. */
  readonly #addresses: (Address | undefined)[] = []
  #isPassable = new Uint8Array(INITIAL_SIZE)
  readonly #ids = new Map<Address, number>()
  /** By half of the link's number. */
  readonly #pools: (Parallel | undefined)[] = []
  readonly #ready = new Map<number, readonly PoolSide[]>()
  readonly #freePairs: number[] = []
  readonly #freeTokens: number[] = []
  #passable: Set<Address> | null = null

  /** From now on routes lead through these tokens alone; null: through any. */
  setPassable(passable: ReadonlySet<Address> | null): void {
    this.#passable = passable === null ? null : new Set(passable)
    for (const [address, token] of this.#ids) this.#pass(token, this.isPassable(address))
  }

  /** From now on routes lead through a token, or no longer do; where they lead through any, they go on so. */
  pass(address: Address, isPassable: boolean): void {
    if (this.#passable === null) return
    if (isPassable) this.#passable.add(address)
    else this.#passable.delete(address)
    const token = this.#ids.get(address)
    if (token !== undefined) this.#pass(token, isPassable)
  }

  /** Whether routes may lead through a token, of the graph or not; they may begin and end anywhere. */
  isPassable(address: Address): boolean {
    return this.#passable?.has(address) ?? true
  }

  /** The token's id; null while no pool trades it. */
  token(address: Address): number | null {
    return this.#ids.get(address) ?? null
  }

  /** The link from a token to another, undefined where they have no pool in common. */
  link(from: number, to: number): number | undefined {
    return this.#between.get(from, to)
  }

  /** The pools of a link, by ascending address. */
  sides(link: number): readonly PoolSide[] {
    const known = this.#ready.get(link)
    if (known !== undefined) return known
    const from = this.#addresses[this.#source(link)]
    const sides = this.#poolsOf(link).map((one) => new PoolSide(one, one.pool.token0 === from))
    if (this.#ready.size >= MOST_READY) this.#forgetAll()
    this.#ready.set(link, sides)
    return sides
  }

  /** Also what was worked out of the pools' ticks. */
  #forgetAll(): void {
    for (const link of this.#ready.keys()) for (const { ticks } of this.#poolsOf(link)) ticks?.forget()
    this.#ready.clear()
  }

  /** Makes a pool that can trade part of the graph. */
  add(pool: PoolInState): void {
    const link = this.#linkFor(pool.pool.token0, pool.pool.token1)
    this.#pools[link >> 1] = withPool(this.#pools[link >> 1], pool)
    this.#forget(link)
    this.#rebound(link)
  }

  remove(pool: PoolInState): void {
    const link = this.#linkOf(pool)
    const rest = this.#poolsOf(link).filter((one) => one !== pool)
    this.#pools[link >> 1] = rest.length === 1 ? rest[0] : rest
    this.#forget(link)
    if (rest.length > 0) this.#rebound(link)
    else this.#unlink(link)
  }

  /** To be called when a pool of the graph has changed. */
  changed(pool: PoolInState): void {
    const link = this.#linkOf(pool)
    for (const way of [link, link ^ 1]) {
      for (const side of this.#ready.get(way) ?? []) if (side.pool === pool.pool) side.changed()
    }
    this.#rebound(link)
  }

  #rebound(link: number): void {
    for (const way of [link, link ^ 1]) {
      const from = this.#addresses[this.#source(way)]
      let rate = 0
      let depth = Number.POSITIVE_INFINITY
      for (const one of this.#poolsOf(way)) {
        const bound = boundOf(one, one.pool.token0 === from)
        rate = Math.max(rate, bound.rate)
        depth = Math.min(depth, bound.depth)
      }
      this.rate[way] = rate
      this.depth[way] = depth
    }
  }

  #poolsOf(link: number): readonly PoolInState[] {
    const pools = this.#pools[link >> 1]
    return pools === undefined ? [] : Array.isArray(pools) ? pools : [pools]
  }

  #forget(link: number): void {
    this.#ready.delete(link)
    this.#ready.delete(link ^ 1)
  }

  #source(link: number): number {
    return this.target[link ^ 1] as number
  }

  #linkOf({ pool }: PoolInState): number {
    const [from, to] = [this.#ids.get(pool.token0), this.#ids.get(pool.token1)]
    const link = from === undefined || to === undefined ? undefined : this.#between.get(from, to)
    if (link === undefined) throw new Error(`pool ${pool.address} is not part of the graph`)
    return link
  }

  #linkFor(from: Address, to: Address): number {
    const [a, b] = [this.#tokenFor(from), this.#tokenFor(to)]
    const known = this.#between.get(a, b)
    if (known !== undefined) return known
    const link = this.#freePairs.pop() ?? this.#newPair()
    this.target[link] = b
    this.target[link ^ 1] = a
    this.#between.add(a, b, link)
    this.#links.add(a, link)
    this.#links.add(b, link ^ 1)
    this.#opened(a, link)
    this.#opened(b, link ^ 1)
    return link
  }

  /** `link` out of `token` is new: others may pass through `token` if it leads on. */
  #opened(token: number, link: number): void {
    const count = this.#links.count(token)
    if (count < 2 || this.#isPassable[token] === 0) return
    if (count === 2) this.#setPassages(token, true)
    else this.passages.add(this.target[link] as number, link ^ 1)
  }

  /** Makes the neighbours' links to `token` passages or not. */
  #setPassages(token: number, arePassages: boolean): void {
    for (let link = this.#links.first(token); link !== END; link = this.#links.next[link] as number) {
      const neighbour = this.target[link] as number
      if (arePassages) this.passages.add(neighbour, link ^ 1)
      else this.passages.remove(neighbour, link ^ 1)
    }
  }

  #unlink(link: number): void {
    const [a, b] = [this.#source(link), this.target[link] as number]
    this.passages.remove(a, link)
    this.passages.remove(b, link ^ 1)
    this.#between.delete(a, b)
    this.#links.remove(a, link)
    this.#links.remove(b, link ^ 1)
    for (const token of [a, b]) this.#closed(token)
    this.#pools[link >> 1] = undefined
    this.#freePairs.push(link & ~1)
  }

  /** A link out of `token` is gone: nobody passes through a dead end, and a token without links is none. */
  #closed(token: number): void {
    const count = this.#links.count(token)
    if (count === 1) this.#setPassages(token, false)
    if (count > 0) return
    this.#ids.delete(this.#addresses[token] as Address)
    this.#addresses[token] = undefined
    this.#freeTokens.push(token)
  }

  #pass(token: number, isPassable: boolean): void {
    if (Number(isPassable) === this.#isPassable[token]) return
    this.#isPassable[token] = Number(isPassable)
    if (this.#links.count(token) >= 2) this.#setPassages(token, isPassable)
  }

  #tokenFor(address: Address): number {
    const known = this.#ids.get(address)
    if (known !== undefined) return known
    const token = this.#freeTokens.pop() ?? this.#addresses.length
    if (token >= this.#isPassable.length) this.#isPassable = grown(this.#isPassable, token)
    this.#isPassable[token] = Number(this.isPassable(address))
    this.#addresses[token] = address
    this.#ids.set(address, token)
    return token
  }

  #newPair(): number {
    const link = 2 * this.#pools.length
    this.#pools.push(undefined)
    if (link + 1 >= this.target.length) {
      this.target = grown(this.target, link + 1)
      this.rate = grown(this.rate, link + 1)
      this.depth = grown(this.depth, link + 1)
    }
    return link
  }
}

function withPool(pools: Parallel | undefined, pool: PoolInState): Parallel {
  if (pools === undefined) return pool
  const list = Array.isArray(pools) ? pools : [pools]
  const at = list.findIndex((other) => other.pool.address > pool.pool.address)
  return at < 0 ? [...list, pool] : [...list.slice(0, at), pool, ...list.slice(at)]
}
