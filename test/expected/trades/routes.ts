import type { Hop } from './receipt/hops.ts'

interface Passed {
  token: string
  amount: bigint
}

export interface PoolTrade {
  hops: readonly Hop[]
  sold: Passed
  bought: Passed
  shape: 'one hop' | 'route' | 'hop of many'
}

export function tradesThroughPools(hops: readonly Hop[]): PoolTrade[] {
  const trades = connected(hops).flatMap((route) => tradesOfRoute(route))
  return trades.sort((a, b) => firstLog(a) - firstLog(b))
}

function connected(hops: readonly Hop[]): Hop[][] {
  let routes: { hops: Hop[]; tokens: Set<string> }[] = []
  for (const hop of hops) {
    const touches = ({ tokens }: { tokens: Set<string> }) => tokens.has(hop.tokenIn) || tokens.has(hop.tokenOut)
    const joined = routes.filter(touches)
    routes = routes.filter((route) => !touches(route))
    routes.push({
      hops: [...joined.flatMap((route) => route.hops), hop],
      tokens: new Set([hop.tokenIn, hop.tokenOut, ...joined.flatMap(({ tokens }) => [...tokens])]),
    })
  }
  return routes.map((route) => route.hops.toSorted((a, b) => a.logIndex - b.logIndex))
}

/** Returns one trade if the route sells exactly one token and buys exactly one, or else a trade per hop. */
function tradesOfRoute(route: readonly Hop[]): PoolTrade[] {
  const sold: Passed[] = []
  const bought: Passed[] = []
  for (const token of new Set(route.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))) {
    const rest = restOf(token, route)
    if (rest > 0n) sold.push({ token, amount: rest })
    if (rest < 0n) bought.push({ token, amount: -rest })
  }
  const [oneSold, oneBought] = [sold[0], bought[0]]
  if (oneSold && oneBought && sold.length + bought.length === 2) {
    return [{ hops: route, sold: oneSold, bought: oneBought, shape: route.length === 1 ? 'one hop' : 'route' }]
  }
  return route.map((hop) => ({
    hops: [hop],
    sold: { token: hop.tokenIn, amount: hop.amountIn },
    bought: { token: hop.tokenOut, amount: hop.amountOut },
    shape: 'hop of many',
  }))
}

/** Returns how much of a token the route sold; negative if it bought some, zero if the token only passed through. */
function restOf(token: string, route: readonly Hop[]): bigint {
  const [takers, givers] = [
    route.filter(({ tokenIn }) => tokenIn === token),
    route.filter(({ tokenOut }) => tokenOut === token),
  ]
  const paid = takers.reduce((sum, { amountIn }) => sum + amountIn, 0n)
  const received = givers.reduce((sum, { amountOut }) => sum + amountOut, 0n)
  const rest = paid - received
  const passed = paid > received ? paid : received
  if (paid === 0n || received === 0n) return rest
  const isFee = 20n * (rest < 0n ? -rest : rest) <= passed
  // Between pools that pay each other, only a tax of at most half can be missing.
  const isTax =
    rest < 0n &&
    2n * paid >= received &&
    givers.every(({ recipient }) => takers.some(({ pool }) => pool.address === recipient))
  return isFee || isTax ? 0n : rest
}

function firstLog({ hops }: PoolTrade): number {
  return hops[0]?.logIndex ?? 0
}
