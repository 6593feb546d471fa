import type { QuoteFlag, V1Body } from '@dexfeed/contract'
import {
  type Address,
  fixedText,
  hopMid,
  isoTime,
  isUnlisted,
  type Market,
  type Rate,
  type RouteHop,
} from '@dexfeed/dex'
import { notNow } from '../http/http-failure.ts'
import type { LiveMarket } from './live-market.ts'

const IMPACT_DIGITS = 8

export function midRate(
  market: Market,
  parts: readonly { amountIn: bigint; hops: readonly RouteHop[] }[],
): Rate | null {
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

/** Returns how much worse a rate is than the mid rate, as a share of 1 with eight digits, rounded toward zero. */
export function impactText(rate: Rate, mid: Rate): string {
  const before = mid.numerator * rate.denominator
  const lost = ((before - rate.numerator * mid.denominator) * 10n ** BigInt(IMPACT_DIGITS)) / before
  return fixedText(lost, IMPACT_DIGITS)
}

export function quoteFlags(
  market: Market,
  tokens: readonly Address[],
  routes: readonly (readonly RouteHop[])[],
): QuoteFlag[] {
  const standings = tokens.map((token) => market.graph.standing(token))
  const flags: QuoteFlag[] = []
  if (routes.some((hops) => isUnlisted(market, hops))) flags.push('unlisted-route')
  if (standings.some((standing) => standing === null || standing === 'proven')) flags.push('unlisted-token')
  if (standings.some((standing) => standing === null || standing === 'taxed')) flags.push('unproven')
  return flags
}

/** @throws HttpFailure 503 if no block of the network is indexed yet */
export function blockOf({ network: { network, head } }: LiveMarket, now: number): V1Body<'quoteAmount'>['block'] {
  if (head === null) throw notNow(`nothing of ${network} is indexed yet`, 5)
  const { number, hash, timestamp } = head
  return {
    number: String(number),
    hash,
    time: isoTime(timestamp),
    age_s: Math.max(0, now - timestamp),
  }
}
