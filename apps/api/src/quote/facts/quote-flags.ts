import type { QuoteFlag } from '@dexfeed/contract'
import { type Address, isUnlisted, type Market, type RouteHop } from '@dexfeed/dex'

/** Returns what weakens a quote between two tokens over some routes. */
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
