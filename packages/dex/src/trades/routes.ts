import { MAX_UINT256 } from '../abi/words.ts'
import type { Address } from '../chain.ts'
import { larger, smaller } from '../maths/integers.ts'
import { present } from '../present.ts'
import { Groups } from '../totals.ts'
import type { Hop } from './trade.ts'

export type RoutedHop = Pick<Hop, 'logIndex' | 'tokenIn' | 'amountIn' | 'tokenOut' | 'amountOut' | 'recipient'> & {
  pool: { address: string }
}

/** The net result of a set of hops. Amounts are positive. */
export interface NetSwap<H extends RoutedHop = Hop> {
  sold: Address
  soldAmount: bigint
  bought: Address
  boughtAmount: bigint
  hops: readonly H[]
}

/**
 * Collapses a transaction's hops into swaps of one token for another, ordered by first hop. If a route does not net to
 * one token sold and one bought, each of its hops stays a separate swap (docs/internals/trades.md, 3 to 5).
 */
export function collapseHops<H extends RoutedHop>(hops: readonly H[]): NetSwap<H>[] {
  if (hops.length === 1) return hops.map((hop) => swapOfHop(hop))
  const swaps = routesOf(hops).flatMap((route) => {
    const net = route.length === 1 ? null : netOf(route)
    return net === null ? route.map((hop) => swapOfHop(hop)) : [net]
  })
  return swaps.sort((a, b) => present(a.hops[0]).logIndex - present(b.hops[0]).logIndex)
}

export function routesOf<H extends RoutedHop>(hops: readonly H[]): H[][] {
  // Each token points to another token of its route; the root points to itself.
  const parents = new Map<Address, Address>()
  const rootOf = (token: Address): Address => {
    let root = token
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) root = next
    for (let passed = token; passed !== root; ) {
      const next = parents.get(passed) ?? root
      parents.set(passed, root)
      passed = next
    }
    return root
  }
  for (const { tokenIn, tokenOut } of hops) parents.set(rootOf(tokenIn), rootOf(tokenOut))
  const routes = new Groups<Address, H>()
  for (const hop of hops) routes.add(rootOf(hop.tokenIn), hop)
  return [...routes.values()].map((route) => route.sort((a, b) => a.logIndex - b.logIndex))
}

function netOf<H extends RoutedHop>(route: readonly H[]): NetSwap<H> | null {
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
  let isPaidOnwards: ((token: Address) => boolean) | null = null
  const sold: [Address, bigint][] = []
  const bought: [Address, bigint][] = []
  for (const [token, { paid, received }] of flows) {
    if (received === paid || isFeeBetweenHops(received, paid)) continue
    const rest = received - paid
    if (rest > 0n && paid * LARGEST_TAX_DIVISOR >= received) {
      isPaidOnwards ??= paidOnwards(route)
      if (isPaidOnwards(token)) continue
    }
    if (rest < 0n) sold.push([token, -rest])
    else bought.push([token, rest])
  }
  const [soldLeg, ...moreSold] = sold
  const [boughtLeg, ...moreBought] = bought
  if (soldLeg === undefined || boughtLeg === undefined || moreSold.length > 0 || moreBought.length > 0) return null
  // Some venues report whatever amounts they are called with, even impossible ones.
  if (soldLeg[1] > MAX_UINT256 || boughtLeg[1] > MAX_UINT256) return null
  return { sold: soldLeg[0], soldAmount: soldLeg[1], bought: boughtLeg[0], boughtAmount: boughtLeg[1], hops: route }
}

/**
 * The largest share of an amount that a transfer tax takes (1/2). If more is missing, somebody may have taken the token
 * out of the pool and swapped dust of it, so that the route seems to end in a token of their own.
 */
const LARGEST_TAX_DIVISOR = 2n

/**
 * Returns a function that tells whether every pool that pays out a token pays it into a pool that takes it. What is
 * missing is then a transfer tax.
 */
function paidOnwards(route: readonly RoutedHop[]): (token: Address) => boolean {
  const takers = new Set(route.map(({ pool, tokenIn }) => `${tokenIn} ${pool.address}`))
  const kept = new Set<Address>()
  for (const { tokenOut, recipient } of route) if (!takers.has(`${tokenOut} ${recipient}`)) kept.add(tokenOut)
  return (token) => !kept.has(token)
}

function swapOfHop<H extends RoutedHop>(hop: H): NetSwap<H> {
  return {
    sold: hop.tokenIn,
    soldAmount: hop.amountIn,
    bought: hop.tokenOut,
    boughtAmount: hop.amountOut,
    hops: [hop],
  }
}

/** The largest fee, as a fraction (1/20) of the amount from which it is taken. */
export const FEE_DIVISOR = 20n

/** Returns whether a token only passed between hops, apart from a fee. */
export function isFeeBetweenHops(given: bigint, taken: bigint): boolean {
  const less = smaller(given, taken)
  const more = larger(given, taken)
  return less > 0n && (more - less) * FEE_DIVISOR <= more
}

/** Returns whether two amounts differ by more than a fifth of the smaller. */
export function differByFifth(a: bigint, b: bigint): boolean {
  return larger(a, b) * 5n > smaller(a, b) * 6n
}
