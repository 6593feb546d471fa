import type { DevnetChain } from '@dexfeed/devnet'
import type { RecordedBlock } from './chain-record.ts'
import { ONE_USD, type ReferencePrices } from './reference-prices.ts'
import type { TokenFacts } from './tokens.ts'
import type { ValuedRoute } from './trades/legs.ts'
import type { Hop } from './trades/receipt/hops.ts'
import type { ExpectedTrade } from './trades/trades.ts'

const ONE_E8 = 10n ** 8n

export interface UsdOptions {
  deployment: Pick<DevnetChain['deployment'], 'stablecoins' | 'wrappedNative' | 'anchors'>
  tokens: ReadonlyMap<string, TokenFacts>
  prices: ReferencePrices
}

/** Returns a trade's USD value times 1e8, summed over its routes by the amounts through the pools. Null if unknown. */
export function tradeUsd(trade: ExpectedTrade, options: UsdOptions): bigint | null {
  const counting = (trade.routes ?? [trade]).filter((route: ValuedRoute) => !route.isPassedOn)
  const known = counting.flatMap((route) => routeUsd(route, trade.block, options) ?? [])
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0n)
}

/**
 * Values a route by stablecoins, or else by the wrapped coin, or else by other anchors. Within each group the leg sold
 * comes first, then the leg bought, then what the route passes through.
 */
function routeUsd(
  { through, hops }: ValuedRoute,
  block: RecordedBlock,
  { deployment, tokens, prices }: UsdOptions,
): bigint | null {
  const { stablecoins, wrappedNative, anchors } = deployment
  for (const group of [stablecoins, [wrappedNative], anchors] as readonly (readonly string[])[]) {
    const known = new Map(group.map((token) => [token, prices.usd(token, block)]))
    const isPriced = (token: string) => (known.get(token) ?? null) !== null
    const { sell, buy } = through
    const leg = [sell, buy].find(({ token }) => isPriced(token))
    const amounts = leg ? [leg] : passing(hops, through, isPriced)
    if (amounts.length === 0) continue
    const value = amounts.reduce((sum, { token, amount }) => {
      const unit = 10n ** BigInt(tokens.get(token)?.decimals ?? 18)
      return sum + (amount * (known.get(token) ?? 0n) * ONE_E8) / (unit * ONE_USD)
    }, 0n)
    return value < 0n ? null : value
  }
  return null
}

/**
 * Returns what enters trusted tokens from untrusted ones before them, minus what goes back. Empty unless each branch
 * passes through a trusted token.
 */
function passing(
  hops: readonly Hop[],
  { sell, buy }: ExpectedTrade['through'],
  isTrusted: (token: string) => boolean,
): { token: string; amount: bigint }[] {
  const around = (starts: readonly string[]) => {
    const found = new Set(starts)
    for (let size = 0; size < found.size; ) {
      size = found.size
      for (const { tokenIn, tokenOut } of hops) if (found.has(tokenIn) && !isTrusted(tokenOut)) found.add(tokenOut)
    }
    return found
  }
  if (around([sell.token]).has(buy.token)) return []
  const given = hops.map(({ tokenIn }) => tokenIn)
  const firsts = given.filter((token) => !isTrusted(token) && hops.every(({ tokenOut }) => tokenOut !== token))
  const front = around([sell.token, ...firsts])
  const forth = hops.filter(({ tokenIn, tokenOut }) => isTrusted(tokenOut) && front.has(tokenIn))
  const back = hops.filter(({ tokenIn, tokenOut }) => isTrusted(tokenIn) && front.has(tokenOut))
  return [
    ...forth.map(({ tokenOut, amountOut }) => ({ token: tokenOut, amount: amountOut })),
    ...back.map(({ tokenIn, amountIn }) => ({ token: tokenIn, amount: -amountIn })),
  ]
}
