import type { QuotedMarket } from '../best-route.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { QuoteWork } from '../quote-work.ts'
import type { MaxHops } from '../route-search/route-search.ts'
import { type AmountQuery, type FoundRoute, findRoute } from './find-route.ts'

type Route = readonly PoolSide[]

/** Limit on searches, apart from those for single pools. */
const MAX_SEARCHES = 3
/**
 * Most searches are for a quarter of the amount: the best pools for the whole amount are not always the best for a
 * part.
 */
const SHARE = 4n
const SMALLER = 8n
const MAX_TRIES = 3

export function conflict(route: Route, other: Route): boolean {
  return route.some((side) => isUsed(side, other))
}

function isUsed(side: PoolSide, route: Route): boolean {
  return route.some((other) => other.pool.address === side.pool.address || side.isMovedBy(other))
}

function singlePools(route: Route): Route[] {
  return route.length > 1 ? route.map((side) => [side]) : []
}

export class CandidateRoutes {
  readonly routes: Route[] = []
  readonly #keys = new Set<string>()
  readonly #market: QuotedMarket
  #query: AmountQuery
  readonly #work: QuoteWork

  constructor(market: QuotedMarket, query: AmountQuery, work: QuoteWork) {
    this.#market = market
    this.#query = query
    this.#work = work
  }

  /**
   * Searches for a share of the amount, then again without all or some of the pools found. Pools that exchange the two
   * tokens directly conflict with few other routes, so they are candidates too.
   */
  fill(): void {
    const { amount, maxSplits, maxHops } = this.#query
    const share = amount / SHARE
    // If a small share and the whole amount have the same best route, the shares in between usually have it too.
    if (this.routes.length !== 1) this.find(share, [])
    if (maxHops > 1) {
      for (const used: PoolSide[] = []; used.length < maxSplits; ) {
        const direct = this.find(share, used, 1)
        if (direct === null) break
        used.push(...direct.sides)
      }
    }
    const left: Route[] = [...this.routes]
    for (const route of this.routes) left.push(...singlePools(route))
    for (let searches = 0; searches < MAX_SEARCHES; searches++) {
      const without = left.shift()
      if (without === undefined) break
      const count = this.routes.length
      const found = this.find(share, without)
      if (found === null || this.routes.length === count) continue
      left.unshift([...without, ...found.sides])
      left.push(...singlePools(found.sides).map((route) => [...without, ...route]))
    }
  }

  find(amount: bigint, without: Route, maxHops: MaxHops = this.#query.maxHops): FoundRoute | null {
    const allows = (side: PoolSide) => !isUsed(side, without) && (this.#query.allows?.(side.pool) ?? true)
    for (let tries = 0, share = amount; tries < MAX_TRIES && share > 0n; tries++, share /= SMALLER) {
      const found = findRoute(this.#market, { ...this.#query, maxHops, amount: share, allows }, this.#work)
      if (found === null) continue
      // Without the pools of the first route, the market may look thinner than it is.
      this.#query = { ...this.#query, through: found.through }
      this.add(found.sides)
      return found
    }
    return null
  }

  add(route: Route): void {
    const key = route.map(({ pool, tokenIn }) => `${tokenIn}${pool.address}`).join()
    if (this.#keys.has(key)) return
    this.#keys.add(key)
    this.routes.push(route)
  }
}
