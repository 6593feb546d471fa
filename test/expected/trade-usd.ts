import type { DevnetChain } from '@dexfeed/devnet'
import { ONE_USD, type ReferencePrices } from './reference-prices.ts'
import type { TokenFacts } from './tokens.ts'
import type { ExpectedTrade } from './trades.ts'

const ONE_E8 = 10n ** 8n

export interface UsdOptions {
  deployment: Pick<DevnetChain['deployment'], 'stablecoins' | 'wrappedNative' | 'anchors'>
  tokens: ReadonlyMap<string, TokenFacts>
  prices: ReferencePrices
}

/**
 * USD of a trade times 1e8, rounded down; null when nothing tells it. A stablecoin goes before the wrapped coin, that
 * before the other anchors; of each, a leg before what the whole route passes through, and the leg sold before the
 * one bought.
 */
export function tradeUsd(trade: ExpectedTrade, { deployment, tokens, prices }: UsdOptions): bigint | null {
  const { stablecoins, wrappedNative, anchors } = deployment
  for (const trusted of [stablecoins, [wrappedNative], anchors] as readonly (readonly string[])[]) {
    for (const { token, amount } of [trade.sell, trade.buy, ...passed(trade)]) {
      const price = trusted.includes(token) ? prices.usd(token, trade.block) : null
      if (price === null) continue
      const decimals = tokens.get(token)?.decimals ?? 18
      return (amount * price * ONE_E8) / (10n ** BigInt(decimals) * ONE_USD)
    }
  }
  return null
}

/** Tokens that all of the route goes through on its way, with the amounts that come there, first things first. */
function passed({ hops, sell, buy }: ExpectedTrade): { token: string; amount: bigint }[] {
  const between = new Set(hops.map(({ tokenOut }) => tokenOut).filter((token) => token !== buy.token))
  return [...between]
    .filter((token) => token !== sell.token && !isReachable(sell.token, buy.token, token, hops))
    .map((token) => ({
      token,
      amount: hops.filter(({ tokenOut }) => tokenOut === token).reduce((sum, { amountOut }) => sum + amountOut, 0n),
    }))
}

/** Whether hops lead from one token to another without touching a third. */
function isReachable(from: string, to: string, avoided: string, hops: ExpectedTrade['hops']): boolean {
  const reached = new Set([from])
  for (let size = 0; size < reached.size; ) {
    size = reached.size
    for (const { tokenIn, tokenOut } of hops) if (reached.has(tokenIn) && tokenOut !== avoided) reached.add(tokenOut)
  }
  return reached.has(to)
}
