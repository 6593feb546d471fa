import type { Address } from '../chain/hex.ts'
import { bestRouteOrZero, type RouteHop } from './best-route.ts'
import { COARSE, marginalRoute } from './marginal-route.ts'
import type { Market } from './market.ts'
import type { Rate } from './pool-maths/pool-side.ts'
import { QuoteWork } from './quote-work.ts'

export interface QuoteToken {
  address: Address
  decimals: number
}

export interface PriceQuote {
  /** Buy tokens for one sell token: a plain decimal, no exponent, no trailing zeros, rounded down. */
  price: string
  /** `exact`: what 1.0 buys, price impact included; `marginal`: the rate for an infinitely small amount. */
  basis: 'exact' | 'marginal'
  route: readonly RouteHop[]
}

const MARGINAL_DIGITS = 18

/**
 * Returns what exactly 1.0 `sell` buys now, with at most the decimals of `buy`: LP fees and price impact included, gas
 * excluded. If that is less than 1,000 base units of `buy`, returns the best marginal rate of a route that carries an
 * amount (see marginalRoute), with 18 significant digits. Null if no route can take 1.0 or carries an amount. `work`
 * has no budget by default.
 *
 * @throws QuoteOverBudget
 */
export function quotePrice(
  market: Market,
  pair: { sell: QuoteToken; buy: QuoteToken },
  work = new QuoteWork(),
): PriceQuote | null {
  const { sell, buy } = pair
  const one = 10n ** BigInt(sell.decimals)
  const exact = bestRouteOrZero(market, sell.address, buy.address, one, 3, work, COARSE)
  if (exact === null) return null
  if (exact.amountOut >= COARSE) {
    return { price: plainDecimal(exact.amountOut, buy.decimals), basis: 'exact', route: exact.hops }
  }
  const marginal = marginalRoute(market, sell.address, buy.address, one, 3, work)
  if (marginal === null) return null
  const price: Rate = {
    numerator: marginal.rate.numerator * one,
    denominator: marginal.rate.denominator * 10n ** BigInt(buy.decimals),
  }
  return { price: significantDecimal(price, MARGINAL_DIGITS), basis: 'marginal', route: marginal.hops }
}

/** Returns `amount` / 10^`decimals` without trailing zeros. */
function plainDecimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Returns `value` rounded down to `digits` significant digits, without trailing zeros after the point. */
function significantDecimal({ numerator, denominator }: Rate, digits: number): string {
  // The lengths give the magnitude or one more, so the scaled quotient has `digits` digits or one more.
  const decimals = digits + denominator.toString().length - numerator.toString().length
  const quotient =
    decimals >= 0
      ? (numerator * 10n ** BigInt(decimals)) / denominator
      : numerator / (denominator * 10n ** BigInt(-decimals))
  const excess = quotient.toString().length - digits
  const kept = quotient / 10n ** BigInt(excess)
  const places = decimals - excess
  return places >= 0 ? plainDecimal(kept, places) : (kept * 10n ** BigInt(-places)).toString()
}
