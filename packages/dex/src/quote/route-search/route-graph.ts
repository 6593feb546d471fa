import type { Address } from '../../chain/hex.ts'
import { comparePoolAddresses, type PoolSide } from '../pool-maths/pool-side.ts'

/** A token that some pool trades now. */
export interface GraphToken {
  readonly id: number
  readonly address: Address
  /** Neighbour's id -> link to it. */
  readonly links: Map<number, number>
  /** Links to the neighbours that a route can pass through: passable ones that have another neighbour. */
  readonly passages: number[]
  /** Whether a route may lead through it; it may begin and end anywhere. */
  isPassable: boolean
}

const INITIAL_SIZE = 64

/**
 * Tokens, and a link for each direction between two that have pools in common. Searching a route walks tens of
 * thousands of links, so what it reads of them are numbers in columns; `link ^ 1` is the way back.
 */
export class RouteGraph {
  /** By link: the token's id at its end. */
  target = new Int32Array(INITIAL_SIZE)
  /** By link: bound over its pools, see OutputBound. */
  rate = new Float64Array(INITIAL_SIZE)
  depth = new Float64Array(INITIAL_SIZE)
  readonly #tokens: (GraphToken | undefined)[] = []
  readonly #byAddress = new Map<Address, GraphToken>()
  readonly #pools: PoolSide[][] = []
  readonly #freeLinks: number[] = []
  readonly #freeTokens: number[] = []
  #passable: ReadonlySet<Address> | null = null

  /** From now on routes lead through these tokens alone; null: through any. */
  setPassable(passable: ReadonlySet<Address> | null): void {
    this.#passable = passable
    for (const token of this.#byAddress.values()) {
      const isPassable = passable?.has(token.address) ?? true
      if (isPassable === token.isPassable) continue
      token.isPassable = isPassable
      if (token.links.size < 2) continue
      for (const link of token.links.values()) {
        const { passages } = this.#neighbour(link)
        if (isPassable) passages.push(link ^ 1)
        else take(passages, link ^ 1)
      }
    }
  }

  /** Whether routes may lead through a token, of the graph or not. */
  isPassable(address: Address): boolean {
    return this.#passable?.has(address) ?? true
  }

  token(address: Address): GraphToken | null {
    return this.#byAddress.get(address) ?? null
  }

  /** The token of an id that `target` gave. */
  tokenAt(id: number): GraphToken {
    const token = this.#tokens[id]
    if (token === undefined) throw new RangeError(`no token ${id}`)
    return token
  }

  /** The pools of a link, by ascending address. */
  sides(link: number): readonly PoolSide[] {
    return this.#pools[link] ?? []
  }

  /** Makes both directions of a pool part of the graph. */
  add(sides: readonly [PoolSide, PoolSide]): void {
    const link = this.#linkFor(sides[0].tokenIn, sides[0].tokenOut)
    insert(this.#pools[link] ?? [], sides[0])
    insert(this.#pools[link ^ 1] ?? [], sides[1])
    this.changed(sides)
  }

  remove(sides: readonly [PoolSide, PoolSide]): void {
    const link = this.#linkOf(sides[0])
    take(this.#pools[link] ?? [], sides[0])
    take(this.#pools[link ^ 1] ?? [], sides[1])
    if (this.sides(link).length > 0) this.changed(sides)
    else this.#unlink(link)
  }

  /** To be called when the bounds of a pool have changed. */
  changed(sides: readonly [PoolSide, PoolSide]): void {
    const link = this.#linkOf(sides[0])
    this.#rebound(link)
    this.#rebound(link ^ 1)
  }

  #rebound(link: number): void {
    let rate = 0
    let depth = Number.POSITIVE_INFINITY
    for (const side of this.sides(link)) {
      const bound = side.bound()
      rate = Math.max(rate, bound.rate)
      depth = Math.min(depth, bound.depth)
    }
    this.rate[link] = rate
    this.depth[link] = depth
  }

  #linkOf(side: PoolSide): number {
    const to = this.#byAddress.get(side.tokenOut)
    const link = to && this.#byAddress.get(side.tokenIn)?.links.get(to.id)
    if (link === undefined) throw new Error(`pool ${side.pool.address} is not part of the graph`)
    return link
  }

  #linkFor(from: Address, to: Address): number {
    const a = this.#tokenFor(from)
    const b = this.#tokenFor(to)
    const known = a.links.get(b.id)
    if (known !== undefined) return known
    const link = this.#freeLinks.pop() ?? this.#newLink()
    this.#pools[link] = []
    this.#pools[link ^ 1] = []
    this.target[link] = b.id
    this.target[link ^ 1] = a.id
    a.links.set(b.id, link)
    b.links.set(a.id, link ^ 1)
    this.#opened(a, link)
    this.#opened(b, link ^ 1)
    return link
  }

  /** `link` out of `token` is new: others may pass through `token` if it leads on. */
  #opened(token: GraphToken, link: number): void {
    if (token.links.size < 2 || !token.isPassable) return
    this.#neighbour(link).passages.push(link ^ 1)
    if (token.links.size > 2) return
    for (const other of token.links.values()) {
      if (other !== link) this.#neighbour(other).passages.push(other ^ 1)
    }
  }

  #unlink(link: number): void {
    const a = this.#neighbour(link ^ 1)
    const b = this.#neighbour(link)
    take(a.passages, link)
    take(b.passages, link ^ 1)
    a.links.delete(b.id)
    b.links.delete(a.id)
    for (const token of [a, b]) this.#closed(token)
    this.#freeLinks.push(link & ~1)
  }

  /** A link out of `token` is gone: nobody passes through a dead end, and a token without links is none. */
  #closed(token: GraphToken): void {
    if (token.links.size === 1) {
      // Of a token that is not passable there is none to take.
      for (const last of token.links.values()) take(this.#neighbour(last).passages, last ^ 1)
    } else if (token.links.size === 0) {
      this.#byAddress.delete(token.address)
      this.#tokens[token.id] = undefined
      this.#freeTokens.push(token.id)
    }
  }

  #neighbour(link: number): GraphToken {
    return this.tokenAt(this.target[link] ?? -1)
  }

  #tokenFor(address: Address): GraphToken {
    let token = this.#byAddress.get(address)
    if (token === undefined) {
      const id = this.#freeTokens.pop() ?? this.#tokens.length
      const isPassable = this.#passable?.has(address) ?? true
      token = { id, address, links: new Map(), passages: [], isPassable }
      this.#tokens[token.id] = token
      this.#byAddress.set(address, token)
    }
    return token
  }

  #newLink(): number {
    const link = this.#pools.length
    if (link + 1 >= this.target.length) {
      const size = this.target.length * 2
      this.target = grown(this.target, new Int32Array(size))
      this.rate = grown(this.rate, new Float64Array(size))
      this.depth = grown(this.depth, new Float64Array(size))
    }
    return link
  }
}

function grown<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from)
  return to
}

function insert(sides: PoolSide[], side: PoolSide): void {
  const at = sides.findIndex((other) => comparePoolAddresses(other, side) > 0)
  sides.splice(at < 0 ? sides.length : at, 0, side)
}

function take<T>(items: T[], item: T): void {
  const at = items.indexOf(item)
  if (at >= 0) items.splice(at, 1)
}
