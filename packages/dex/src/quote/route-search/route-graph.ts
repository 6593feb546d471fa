import type { Address } from '../../chain.ts'
import type { PoolInState } from '../pool-maths/pool-in-state.ts'
import { LinkPools } from './link-pools.ts'
import { END, grown, LinkIndex, LinkLists, MarkedLinks } from './links.ts'

const INITIAL_SIZE = 64

/** Why routes may pass through a token: it is listed, or its moves between pools prove that they can. */
export type Passage = 'listed' | 'proven'
/** `taxed` tokens are listed, but their payments arrive short, so no route passes through them. */
export type Standing = Passage | 'taxed'

/** The level of tokens that no route passes through. */
const CLOSED = 0
const LEVELS = { taxed: CLOSED, proven: 1, listed: 2 } as const

/**
 * The tokens that pools trade now, with a link in each direction between two tokens that have pools in common: `link ^
 * 1` is the opposite link. There are hundreds of thousands of both, so they are numbers in columns.
 */
export class RouteGraph {
  /** For each link, the token at its end. */
  target = new Int32Array(INITIAL_SIZE)
  /**
   * Links to neighbours through which a route can pass: passable tokens that have another neighbour. `listed` contains
   * only listed tokens, `proven` all passable ones.
   */
  readonly passages: Readonly<Record<Passage, LinkLists>> = { listed: new LinkLists(), proven: new LinkLists() }
  readonly links = new LinkLists()
  readonly pools = new LinkPools((link) => this.#addresses[this.#source(link)])
  readonly #between = new LinkIndex()
  readonly #addresses: (Address | undefined)[] = []
  #levels: Uint8Array = new Uint8Array(INITIAL_SIZE)
  readonly #ids = new Map<Address, number>()
  readonly #marked = new MarkedLinks()
  #pairs = 0
  readonly #freePairs: number[] = []
  readonly #freeTokens: number[] = []
  readonly #standings: Map<Address, Standing> | null
  #proven = 0

  /** @param listed the tokens that routes may pass through, or null for all tokens */
  constructor(listed: ReadonlySet<Address> | null) {
    this.#standings = listed && new Map([...listed].map((token) => [token, 'listed']))
  }

  /** Null means that routes may not pass through the token. Does nothing if all tokens are listed. */
  pass(address: Address, standing: Standing | null): void {
    if (this.#standings === null) return
    if (this.#standings.get(address) === 'proven') this.#proven--
    if (standing === 'proven') this.#proven++
    if (standing === null) this.#standings.delete(address)
    else this.#standings.set(address, standing)
    const token = this.#ids.get(address)
    const level = this.#levelOf(address)
    if (token === undefined || level === this.#levels[token]) return
    this.#levels[token] = level
    if (this.links.count(token) >= 2) this.#setPassages(token, level)
  }

  /** Also works for tokens outside the graph. Routes may start and end at any token. */
  standing(address: Address): Standing | null {
    return this.#standings === null ? 'listed' : (this.#standings.get(address) ?? null)
  }

  get hasProven(): boolean {
    return this.#proven > 0
  }

  #levelOf(address: Address): number {
    const standing = this.standing(address)
    return standing === null ? CLOSED : LEVELS[standing]
  }

  token(address: Address): number | null {
    return this.#ids.get(address) ?? null
  }

  addressOf(token: number): Address | undefined {
    return this.#addresses[token]
  }

  link(from: number, to: number): number | undefined {
    return this.#between.get(from, to)
  }

  /**
   * Marks the links to tokens that a route can pass through, by token id. For many tokens, that is faster than `link`.
   * Valid until the graph changes or until the next call.
   */
  passagesOf(token: number, through: Passage): MarkedLinks {
    const passages = this.passages[through]
    const { next } = passages
    this.#marked.begin(this.#addresses.length)
    for (let link = passages.first(token); link !== END; link = next[link] as number) {
      this.#marked.mark(this.target[link] as number, link)
    }
    return this.#marked
  }

  add(pool: PoolInState): void {
    this.pools.add(this.#linkFor(pool.pool.token0, pool.pool.token1), pool)
  }

  remove(pool: PoolInState): void {
    const link = this.#linkOf(pool)
    if (!this.pools.remove(link, pool)) this.#unlink(link)
  }

  changed(pool: PoolInState): void {
    this.pools.changed(this.#linkOf(pool), pool)
  }

  #source(link: number): number {
    return this.target[link ^ 1] as number
  }

  #linkOf({ pool }: PoolInState): number {
    const from = this.#ids.get(pool.token0)
    const to = this.#ids.get(pool.token1)
    const link = from === undefined || to === undefined ? undefined : this.#between.get(from, to)
    if (link === undefined) throw new Error(`pool ${pool.address} is not part of the graph`)
    return link
  }

  #linkFor(from: Address, to: Address): number {
    const a = this.#tokenFor(from)
    const b = this.#tokenFor(to)
    const existing = this.#between.get(a, b)
    if (existing !== undefined) return existing
    const link = this.#freePairs.pop() ?? this.#newPair()
    this.target[link] = b
    this.target[link ^ 1] = a
    this.#between.add(a, b, link)
    this.links.add(a, link)
    this.links.add(b, link ^ 1)
    this.#opened(a, link)
    this.#opened(b, link ^ 1)
    return link
  }

  /** A route may pass through `token` if another link leads onwards. */
  #opened(token: number, link: number): void {
    const count = this.links.count(token)
    const level = this.#levels[token] as number
    if (count < 2 || level === CLOSED) return
    if (count === 2) this.#setPassages(token, level)
    else this.#setPassage(link, level)
  }

  #setPassages(token: number, level: number): void {
    for (let link = this.links.first(token); link !== END; link = this.links.next[link] as number) {
      this.#setPassage(link, level)
    }
  }

  #setPassage(link: number, level: number): void {
    const neighbour = this.target[link] as number
    for (const through of ['listed', 'proven'] as const) {
      if (level >= LEVELS[through]) this.passages[through].add(neighbour, link ^ 1)
      else this.passages[through].remove(neighbour, link ^ 1)
    }
  }

  #unlink(link: number): void {
    const a = this.#source(link)
    const b = this.target[link] as number
    this.#setPassage(link ^ 1, CLOSED)
    this.#setPassage(link, CLOSED)
    this.#between.delete(a, b)
    this.links.remove(a, link)
    this.links.remove(b, link ^ 1)
    for (const token of [a, b]) this.#closed(token)
    this.#freePairs.push(link & ~1)
  }

  /** Removes a token without links. A token with a single link is a dead end, so it loses its passages. */
  #closed(token: number): void {
    const count = this.links.count(token)
    if (count === 1) this.#setPassages(token, CLOSED)
    if (count > 0) return
    this.#ids.delete(this.#addresses[token] as Address)
    this.#addresses[token] = undefined
    this.#freeTokens.push(token)
  }

  #tokenFor(address: Address): number {
    const existing = this.#ids.get(address)
    if (existing !== undefined) return existing
    const token = this.#freeTokens.pop() ?? this.#addresses.length
    if (token >= this.#levels.length) this.#levels = grown(this.#levels, token)
    this.#levels[token] = this.#levelOf(address)
    this.#addresses[token] = address
    this.#ids.set(address, token)
    return token
  }

  #newPair(): number {
    const link = 2 * this.#pairs++
    if (link + 1 >= this.target.length) this.target = grown(this.target, link + 1)
    return link
  }
}
