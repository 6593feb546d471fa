import type { DevnetChain } from '@dexfeed/devnet'
import { ONE_USD, type ReferencePrices } from './reference-prices.ts'
import type { TokenFacts } from './tokens.ts'
import type { Hop } from './trades/hops.ts'
import type { ExpectedTrade } from './trades/trades.ts'

const ONE_E8 = 10n ** 8n

export interface UsdOptions {
  deployment: Pick<DevnetChain['deployment'], 'stablecoins' | 'wrappedNative' | 'anchors'>
  tokens: ReadonlyMap<string, TokenFacts>
  prices: ReferencePrices
}

/**
 * USD of a trade times 1e8, by what went through its pools; null where it is unknown. Stablecoins go before the wrapped coin, that before the other
 * anchors; of each, a leg (the one sold first) before what the route passes through. Each amount is valued alone,
 * rounded down.
 */
export function tradeUsd(trade: ExpectedTrade, { deployment, tokens, prices }: UsdOptions): bigint | null {
  const { stablecoins, wrappedNative, anchors } = deployment
  for (const group of [stablecoins, [wrappedNative], anchors] as readonly (readonly string[])[]) {
    const known = new Map(group.map((token) => [token, prices.usd(token, trade.block)]))
    const isPriced = (token: string) => (known.get(token) ?? null) !== null
    const { sell, buy } = trade.through
    const leg = [sell, buy].find(({ token }) => isPriced(token))
    const amounts = leg ? [leg] : passing(trade.hops, trade.through, isPriced)
    if (amounts.length === 0) continue
    return amounts.reduce((sum, { token, amount }) => {
      const unit = 10n ** BigInt(tokens.get(token)?.decimals ?? 18)
      return sum + (amount * (known.get(token) ?? 0n) * ONE_E8) / (unit * ONE_USD)
    }, 0n)
  }
  return null
}

/** What comes into trusted tokens out of others, if each branch of the route goes through one; else nothing. */
function passing(
  hops: readonly Hop[],
  { sell, buy }: ExpectedTrade['through'],
  isTrusted: (token: string) => boolean,
): { token: string; amount: bigint }[] {
  const around = new Set([sell.token])
  for (let size = 0; size < around.size; ) {
    size = around.size
    for (const { tokenIn, tokenOut } of hops) if (around.has(tokenIn) && !isTrusted(tokenOut)) around.add(tokenOut)
  }
  if (around.has(buy.token)) return []
  return hops
    .filter(({ tokenIn, tokenOut }) => isTrusted(tokenOut) && !isTrusted(tokenIn))
    .map(({ tokenOut, amountOut }) => ({ token: tokenOut, amount: amountOut }))
}
