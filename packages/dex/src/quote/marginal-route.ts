import type { Address } from '../chain/hex.ts'
import type { RouteHop } from './best-route.ts'
import type { Market } from './market.ts'
import type { PoolSide } from './pool-maths/pool-side.ts'
import { compareRates, type Rate } from './pool-maths/rate.ts'
import { type MaxHops, searchRoute } from './route-search/route-search.ts'
import { stepsOf, type Valuation } from './route-search/way-value.ts'

export interface MarginalRoute {
  /** Base units bought for one base unit sold, in the limit of an amount of nothing; LP fees included. */
  rate: Rate
  hops: readonly RouteHop[]
}

export interface MarginalOptions {
  maxHops?: MaxHops
  /**
   * Base units sold for which every pool of the route must be deep enough to pay at least half of its marginal rate.
   * Keeps pools of a few base units, whose rate means nothing, out of the price. Default: no such condition.
   */
  carrying?: bigint
}

/**
 * The route with the best marginal rate, fees included, out of all simple paths of at most `maxHops` (3) pools; pools
 * without liquidity at their current price left out. Null when there is none.
 */
export function marginalRoute(
  market: Market,
  sell: Address,
  buy: Address,
  { maxHops = 3, carrying = 0n }: MarginalOptions = {},
): MarginalRoute | null {
  const end = searchRoute(market.graph, { sell, buy, maxHops }, marginalRates(carrying))
  if (end === null) return null
  const hops = stepsOf(end).map(({ side }) => ({
    pool: side.pool,
    tokenIn: side.tokenIn,
    tokenOut: side.tokenOut,
  }))
  const { numerator, denominator } = end.value
  return { rate: { numerator, denominator }, hops }
}

/** The product of the rates so far; its terms grow beyond what floating point can hold. */
interface RouteRate extends Rate {
  approximate: number
}

function marginalRates(carrying: bigint): Valuation<RouteRate> {
  return {
    start: { numerator: 1n, denominator: 1n, approximate: 1 },
    through(side, value) {
      const rate = side.rate()
      if (rate === null) return null
      if (!isDeepEnough(side, rate, (carrying * value.numerator) / value.denominator)) return null
      return {
        numerator: value.numerator * rate.numerator,
        denominator: value.denominator * rate.denominator,
        approximate: value.approximate * side.bound().rate,
      }
    },
    cannotGive: () => false,
    compare: compareRates,
    approximate: (value) => value.approximate,
    hasImpact: false,
  }
}

/** Does `side` pay at least half of what `amount` would be worth at its marginal rate, give or take one base unit? */
function isDeepEnough(side: PoolSide, rate: Rate, amount: bigint): boolean {
  if (amount === 0n) return true
  const out = side.quote(amount)
  return out !== null && 2n * (out + 1n) * rate.denominator >= amount * rate.numerator
}
