import type { Address } from '../chain.ts'
import { bestRouteOrZero, type QuotedMarket, type RouteHop } from './best-route.ts'
import { COARSE, marginalRoute } from './marginal-route.ts'
import type { Rate } from './pool-maths/pool-in-state.ts'
import { QuoteWork } from './quote-work.ts'

/** Returns `amount` / 10^`decimals` without trailing zeros. */
export function plainDecimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Returns a rate rounded down to `digits` significant digits, without trailing zeros after the decimal point. */
export function significantDecimal({ numerator, denominator }: Rate, digits: number): string {
  // The lengths give the number of whole digits, or one more.
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

export interface QuoteToken {
  address: Address
  decimals: number
}

export interface PriceQuote {
  /** Buy tokens per sell token, as a plain decimal without exponent and trailing zeros, rounded down. */
  price: string
  /** `exact`: what 1.0 buys, including price impact. `marginal`: the rate for an infinitely small amount. */
  basis: 'exact' | 'marginal'
  route: readonly RouteHop[]
}

const MARGINAL_DIGITS = 18

/**
 * Returns what exactly 1.0 `sell` buys now, with at most the decimals of `buy`, including LP fees and price impact but
 * not gas. If that is less than 1,000 base units, which is too coarse, returns the best marginal rate (see
 * marginalRoute) with 18 significant digits. Returns null if no route accepts 1.0 or carries an amount.
 *
 * @throws QuoteOverBudget
 */
export function quotePrice(
  market: QuotedMarket,
  { sell, buy }: { sell: QuoteToken; buy: QuoteToken },
  work = new QuoteWork(),
): PriceQuote | null {
  const amount = 10n ** BigInt(sell.decimals)
  const pair = { sell: sell.address, buy: buy.address }
  const exact = bestRouteOrZero(market, { ...pair, maxHops: 3, enough: Number(COARSE) }, amount, work)
  if (exact === null) return null
  if (exact.amountOut >= COARSE) {
    return { price: plainDecimal(exact.amountOut, buy.decimals), basis: 'exact', route: exact.hops }
  }
  const marginal = marginalRoute(market, { ...pair, coarse: amount }, work)
  if (marginal === null) return null
  const price = {
    numerator: marginal.rate.numerator * amount,
    denominator: marginal.rate.denominator * 10n ** BigInt(buy.decimals),
  }
  return { price: significantDecimal(price, MARGINAL_DIGITS), basis: 'marginal', route: marginal.hops }
}
