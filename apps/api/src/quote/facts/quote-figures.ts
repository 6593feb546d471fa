import { hopMid, type Market, type Rate, type RouteHop } from '@dexfeed/dex'

const IMPACT_DIGITS = 8

/** A route with what it takes. */
export interface Taking {
  amountIn: bigint
  hops: readonly RouteHop[]
}

/** Returns what the parts would pay for one base unit before any trade and without fees; null if that is unknown. */
export function midRate(market: Market, parts: readonly Taking[]): Rate | null {
  let total: Rate = { numerator: 0n, denominator: 1n }
  let amountIn = 0n
  for (const part of parts) {
    let numerator = part.amountIn
    let denominator = 1n
    for (const hop of part.hops) {
      const pool = market.pool(hop.pool.address)
      const mid = pool && hopMid(pool, hop)
      if (mid === null) return null
      numerator *= mid.numerator
      denominator *= mid.denominator
    }
    total = {
      numerator: total.numerator * denominator + numerator * total.denominator,
      denominator: total.denominator * denominator,
    }
    amountIn += part.amountIn
  }
  return total.numerator === 0n ? null : { numerator: total.numerator, denominator: total.denominator * amountIn }
}

/** Returns how much worse a rate is than another, out of 1: a decimal with eight digits, rounded toward zero. */
export function impactText(rate: Rate, mid: Rate): string {
  const before = mid.numerator * rate.denominator
  const lost = ((before - rate.numerator * mid.denominator) * 10n ** BigInt(IMPACT_DIGITS)) / before
  const digits = String(lost < 0n ? -lost : lost).padStart(IMPACT_DIGITS + 1, '0')
  return `${lost < 0n ? '-' : ''}${digits.slice(0, -IMPACT_DIGITS)}.${digits.slice(-IMPACT_DIGITS)}`
}
