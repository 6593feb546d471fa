import type { Address } from '@dexfeed/dex'
import type { MadeWorld } from '../made/world/made-world.ts'
import type { MadePool } from '../made/world/pool.ts'

export interface Leg {
  pool: MadePool
  sellsToken0: boolean
}

type Links = Map<Address, MadePool[]>

/** Which pools of configured factories lead from which token to which. */
export class RouteBook {
  readonly #world: MadeWorld
  readonly #links = new Map<Address, Links>()
  /** Later pools that are taken in. */
  #later = 0

  constructor(world: MadeWorld) {
    this.#world = world
    for (const pool of world.market.confirmed) this.#add(pool)
  }

  /**
   * Every way of at most three pools that are there at the end of a block, no token twice.
   *
   * @param passes whether a token may be between two pools
   */
  *routes(sell: Address, buy: Address, block: number, passes: (token: Address) => boolean): Iterable<Leg[]> {
    this.#addPools(block)
    for (const tokens of this.#ways(sell, buy, passes)) {
      let routes: Leg[][] = [[]]
      for (const [i, from] of tokens.slice(0, -1).entries()) {
        const pools = this.#pools(from, tokens[i + 1] ?? buy).filter((pool) => this.#world.bornAt(pool) <= block)
        const legs = pools.map((pool): Leg => ({ pool, sellsToken0: pool.token0.address === from }))
        routes = routes.flatMap((route) => legs.map((leg) => [...route, leg]))
      }
      yield* routes
    }
  }

  /** The tokens of each way. */
  *#ways(sell: Address, buy: Address, passes: (token: Address) => boolean): Iterable<Address[]> {
    if (this.#pools(sell, buy).length > 0) yield [sell, buy]
    const isBetween = (token: Address) => token !== sell && token !== buy && passes(token)
    for (const first of this.#next(sell)) {
      if (!isBetween(first)) continue
      if (this.#pools(first, buy).length > 0) yield [sell, first, buy]
      for (const second of this.#next(first)) {
        if (second !== first && isBetween(second) && this.#pools(second, buy).length > 0)
          yield [sell, first, second, buy]
      }
    }
  }

  #addPools(block: number): void {
    const later = this.#world.later.until(block)
    for (; this.#later < later.length; this.#later++) {
      const made = later[this.#later]
      if (made !== undefined) this.#add(made.pool)
    }
  }

  #add(pool: MadePool): void {
    const [a, b] = [pool.token0.address, pool.token1.address]
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const links = this.#links.get(from) ?? new Map<Address, MadePool[]>()
      this.#links.set(from, links.set(to, [...(links.get(to) ?? []), pool]))
    }
  }

  #next(token: Address): Iterable<Address> {
    return this.#links.get(token)?.keys() ?? []
  }

  #pools(from: Address, to: Address): readonly MadePool[] {
    return this.#links.get(from)?.get(to) ?? []
  }
}
