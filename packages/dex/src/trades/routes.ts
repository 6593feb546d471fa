import { MAX_UINT256 } from '../abi/words.ts'
import type { Address } from '../chain/hex.ts'
import { isFeeBetweenHops } from './fee-between-hops.ts'
import type { Hop } from './trade.ts'

/** What a set of hops did to the trader, netted over all of them. Amounts are positive. */
export interface NetSwap {
  sold: Address
  soldAmount: bigint
  bought: Address
  boughtAmount: bigint
  hops: readonly Hop[]
}

/**
 * Collapses a transaction's hops into swaps of one token for another (docs/trades.md). Hops that share a token form a
 * route. A route that nets to one token sold and one bought is one swap; any other (arbitrage that returns to its token,
 * several tokens bought) stays one swap per hop. Order: by the first hop of each swap.
 */
export function collapseHops(hops: readonly Hop[]): NetSwap[] {
  // Most transactions: no route to find.
  if (hops.length === 1) return hops.map(swapOfHop)
  const swaps = routesOf(hops).flatMap((route) => {
    const net = route.length === 1 ? null : netOf(route)
    return net === null ? route.map(swapOfHop) : [net]
  })
  return swaps.sort((a, b) => firstLog(a) - firstLog(b))
}

/** Groups hops into routes: connected by shared tokens, in any order. */
export function routesOf(hops: readonly Hop[]): Hop[][] {
  let routes: { tokens: Set<Address>; hops: Hop[] }[] = []
  for (const hop of hops) {
    const merged = { tokens: new Set([hop.tokenIn, hop.tokenOut]), hops: [] as Hop[] }
    const apart: typeof routes = []
    for (const route of routes) {
      if (route.tokens.has(hop.tokenIn) || route.tokens.has(hop.tokenOut)) {
        for (const token of route.tokens) merged.tokens.add(token)
        merged.hops.push(...route.hops)
      } else apart.push(route)
    }
    merged.hops.push(hop)
    routes = [...apart, merged]
  }
  return routes.map((route) => route.hops.sort((a, b) => a.logIndex - b.logIndex))
}

/** The net swap of a route, or null when it is not exactly one token sold and one bought. */
function netOf(route: readonly Hop[]): NetSwap | null {
  const flows = new Map<Address, { paid: bigint; received: bigint }>()
  const flowOf = (token: Address) => {
    const flow = flows.get(token) ?? { paid: 0n, received: 0n }
    flows.set(token, flow)
    return flow
  }
  for (const hop of route) {
    flowOf(hop.tokenIn).paid += hop.amountIn
    flowOf(hop.tokenOut).received += hop.amountOut
  }
  const sold: [Address, bigint][] = []
  const bought: [Address, bigint][] = []
  for (const [token, { paid, received }] of flows) {
    if (received === paid || isFeeBetweenHops(received, paid)) continue
    const rest = received - paid
    if (rest > 0n && paid > 0n && isPaidOnwards(route, token)) continue
    if (rest < 0n) sold.push([token, -rest])
    else bought.push([token, rest])
  }
  const [soldLeg, ...moreSold] = sold
  const [boughtLeg, ...moreBought] = bought
  if (soldLeg === undefined || boughtLeg === undefined || moreSold.length > 0 || moreBought.length > 0) return null
  // A venue that settles whatever it is told may tell of more than there can be.
  if (soldLeg[1] > MAX_UINT256 || boughtLeg[1] > MAX_UINT256) return null
  return { sold: soldLeg[0], soldAmount: soldLeg[1], bought: boughtLeg[0], boughtAmount: boughtLeg[1], hops: route }
}

/** Every pool that pays the token out pays it into a pool that takes it: what is missing there is the transfer's tax. */
function isPaidOnwards(route: readonly Hop[], token: Address): boolean {
  const takers = route.filter(({ tokenIn }) => tokenIn === token).map(({ pool }): string => pool.address)
  return route.every(
    ({ tokenOut, recipient }) => tokenOut !== token || (recipient !== null && takers.includes(recipient)),
  )
}

function swapOfHop(hop: Hop): NetSwap {
  return {
    sold: hop.tokenIn,
    soldAmount: hop.amountIn,
    bought: hop.tokenOut,
    boughtAmount: hop.amountOut,
    hops: [hop],
  }
}

function firstLog({ hops }: NetSwap): number {
  return hops[0]?.logIndex ?? 0
}
