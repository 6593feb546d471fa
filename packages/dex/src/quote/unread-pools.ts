import type { Address } from '../chain/hex.ts'
import type { QuotablePool } from '../pool.ts'
import type { QuotedMarket } from './search-market.ts'

/** Pools whose state is not read yet. */
export class UnreadPools {
  readonly #pools: readonly (readonly [Address, Address])[]
  #tokens: ReadonlySet<Address> | null = null

  /** @param pools as the market takes them: the native coin is its wrapper */
  constructor(pools: Iterable<QuotablePool> = []) {
    this.#pools = [...pools].map(({ token0, token1 }) => [token0, token1])
  }

  trade(token: Address): boolean {
    this.#tokens ??= new Set(this.#pools.flat())
    return this.#tokens.has(token)
  }

  /**
   * Returns whether one of them may be part of a route of at most three pools; true also if no further pools complete
   * it.
   */
  mightCarry({ graph }: QuotedMarket, sell: Address, buy: Address): boolean {
    const isPassable = (token: Address) => graph.standing(token) !== null
    const links = (from: Address, to: Address) => {
      const start = graph.token(from)
      const end = graph.token(to)
      return start !== null && end !== null && graph.link(start, end) !== undefined
    }
    const isBetween = (near: Address, far: Address) => links(sell, near) && links(far, buy)
    return this.#pools.some(([a, b]) => {
      if (a === b) return false
      const isEndA = a === sell || a === buy
      const isEndB = b === sell || b === buy
      if (isEndA || isEndB) return (isEndA || isPassable(a)) && (isEndB || isPassable(b))
      return isPassable(a) && isPassable(b) && (isBetween(a, b) || isBetween(b, a))
    })
  }
}
