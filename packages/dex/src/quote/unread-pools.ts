import type { Address } from '../chain.ts'
import type { QuotablePool } from '../pool.ts'
import type { QuotedMarket } from './best-route.ts'

export class UnreadPools {
  readonly #pools: readonly (readonly [Address, Address])[]
  #tokens: ReadonlySet<Address> | null = null

  /** @param pools with the native coin replaced by its wrapper, as in the market */
  constructor(pools: Iterable<QuotablePool> = []) {
    this.#pools = [...pools].map(({ token0, token1 }) => [token0, token1])
  }

  trade(token: Address): boolean {
    this.#tokens ??= new Set(this.#pools.flat())
    return this.#tokens.has(token)
  }

  /**
   * Returns whether one of these pools may be part of a route of at most three pools. Also returns true if the other
   * pools of such a route do not exist.
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
