import type { Address } from '../chain/hex.ts'
import { protocolOf } from '../protocols/registry.ts'
import { isFeeBetweenHops } from './fee-between-hops.ts'
import type { Hop } from './trade.ts'

const NONE: ReadonlySet<Hop> = new Set()

/**
 * The hops of a transaction that are liquidity in the shape of a swap: the pool gave or took its own shares, and no
 * other hop passed them on. Shares that net to zero over the hops are a step of a route, as any token between two
 * pools; those hops stay. A wrapper of one token (ERC-4626) is liquidity only where nothing else is done with either
 * side: as the first or last step of a route it is what the trader paid or got.
 *
 * Taking a hop out can leave other shares without their counterpart (a deposit through two nested pools), so it goes on
 * until nothing changes.
 */
export function liquidityHops(hops: readonly Hop[]): ReadonlySet<Hop> {
  // Most transactions.
  if (!hops.some(hasShares)) return NONE
  const liquidity = new Set<Hop>()
  const ofShares = hops.flatMap((hop) => {
    const stays = tokensToPassOn(hop)
    return stays === null ? [] : [{ hop, stays }]
  })
  for (;;) {
    const rest = hops.filter((hop) => !liquidity.has(hop))
    const kept = ofShares.filter(
      ({ hop, stays }) => !liquidity.has(hop) && !stays.some((token) => isPassedOn(token, rest)),
    )
    if (kept.length === 0) return liquidity
    for (const { hop } of kept) liquidity.add(hop)
  }
}

function hasShares({ pool }: Hop): boolean {
  return protocolOf(pool.dex.kind).sharesOf !== undefined
}

/** Of a hop that swaps its pool's shares: the tokens of which one must go on for it to be part of a route. */
function tokensToPassOn({ pool, tokenIn, tokenOut }: Hop): readonly Address[] | null {
  const shares = protocolOf(pool.dex.kind).sharesOf?.(pool)
  if (!shares || (shares.token !== tokenIn && shares.token !== tokenOut)) return null
  return shares.isWrapper ? [tokenIn, tokenOut] : [shares.token]
}

function isPassedOn(token: Address, hops: readonly Hop[]): boolean {
  let taken = 0n
  let given = 0n
  for (const { tokenIn, amountIn, tokenOut, amountOut } of hops) {
    if (tokenIn === token) taken += amountIn
    if (tokenOut === token) given += amountOut
  }
  return isFeeBetweenHops(given, taken)
}
