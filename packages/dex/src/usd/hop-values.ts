import type { Hop } from '../trades/trade.ts'
import { type AnchorPrices, valueE8 } from './anchor-prices.ts'
import { reserveCap } from './reserve-cap.ts'

/**
 * What went through each hop, in USD scaled by 1e8: its side in a stablecoin, else in the wrapped coin, else in another
 * anchor, what was paid in before what was paid out, never more than a pair held. A hop of two other tokens has the
 * value of its trade where the hops are one line, which all of it goes through, and else none.
 *
 * @param tradeE8 the trade's own value
 */
export function hopValues(hops: readonly Hop[], prices: AnchorPrices, tradeE8: bigint | null): (bigint | null)[] {
  let isLine: boolean | null = null
  return hops.map((hop) => {
    const own = anchorSide(hop, prices)
    if (own !== null) return own
    isLine ??= isOneLine(hops)
    return isLine ? tradeE8 : null
  })
}

function anchorSide(hop: Hop, { stablecoins, native, others }: AnchorPrices): bigint | null {
  for (const anchors of [stablecoins, native, others]) {
    const token = anchors.has(hop.tokenIn) ? hop.tokenIn : hop.tokenOut
    const price = anchors.get(token)
    if (price === undefined) continue
    const amount = token === hop.tokenIn ? hop.amountIn : hop.amountOut
    const cap = reserveCap([hop], token)
    return valueE8(cap !== null && amount > cap ? cap : amount, price)
  }
  return null
}

/** Each hop goes on with what the one before it bought, and no token comes twice. */
function isOneLine(hops: readonly Hop[]): boolean {
  const tokens = new Set(hops.map(({ tokenOut }) => tokenOut))
  if (tokens.size !== hops.length || tokens.has(hops[0]?.tokenIn ?? '0x')) return false
  return hops.every((hop, at) => at === 0 || hops[at - 1]?.tokenOut === hop.tokenIn)
}
