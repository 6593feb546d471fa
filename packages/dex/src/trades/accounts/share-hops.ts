import type { Address } from '../../chain/hex.ts'
import { present } from '../../present.ts'
import { type ReadonlyTotals, Totals } from '../../totals.ts'
import { isFeeBetweenHops } from '../routes.ts'
import type { Hop } from '../trade.ts'

export interface Order {
  sell: Address
  sellAmount: bigint
  buy: Address
  buyAmount: bigint
}

export interface SharedHops {
  /** Per order, in log order: whole hops, and its parts of hops that several orders share. */
  parts: Hop[][]
  /** Hops of no order. */
  rest: Hop[]
}

/**
 * Shares hops among the orders of several accounts. A hop serves an order if it lies on the order's path: hops lead
 * from the sold token to its tokenIn, and from its tokenOut to the bought token. Orders without any such hop take hops
 * that only start or only end their path, because the rest of it is not decoded. So does an order that is alone in its
 * transaction, if the hops of its path do not move all of it.
 *
 * If several orders share a hop, each gets a part in proportion to its holdings of the token that the hop takes. The
 * parts add up to the hop's amounts.
 *
 * One pass over the hops per order.
 *
 * @param isAlone no other account has a part in the transaction
 */
export function shareHops(hops: readonly Hop[], orders: readonly Order[], isAlone = false): SharedHops {
  const users = usersOf(hops, orders, isAlone)
  const parts: Hop[][] = orders.map(() => [])
  const rest: Hop[] = []
  const holdings = orders.map(({ sell, sellAmount }) => new Totals([[sell, sellAmount]]))
  for (const hop of hops) {
    const served = users.get(hop) ?? []
    if (served.length === 0) rest.push(hop)
    const weights = weightsOf(hop, served, orders, holdings)
    const paid = splitAmount(hop.amountIn, weights)
    const got = splitAmount(hop.amountOut, weights)
    served.forEach((order, at) => {
      const amountIn = present(paid[at])
      const amountOut = present(got[at])
      if (amountIn === 0n && amountOut === 0n) return
      const isWhole = amountIn === hop.amountIn && amountOut === hop.amountOut
      parts[order]?.push(isWhole ? hop : { ...hop, amountIn, amountOut })
      move(present(holdings[order]), hop, amountIn, amountOut)
    })
  }
  return { parts, rest }
}

/** Returns the indexes of the orders that each hop serves. */
function usersOf(hops: readonly Hop[], orders: readonly Order[], isAlone: boolean): Map<Hop, number[]> {
  const after = new Map<Address, Set<Address>>()
  const before = new Map<Address, Set<Address>>()
  for (const { tokenIn, tokenOut } of hops) {
    edgesOf(after, tokenIn).add(tokenOut)
    edgesOf(before, tokenOut).add(tokenIn)
  }
  const ways = orders.map(({ sell, buy }) => ({
    sell,
    buy,
    fromSold: reachedFrom(sell, after, buy),
    toBought: reachedFrom(buy, before, sell),
  }))
  const users = new Map<Hop, number[]>()
  const served = new Set<number>()
  const serve = (hop: Hop, order: number) => {
    served.add(order)
    const known = users.get(hop)
    if (known === undefined) users.set(hop, [order])
    else known.push(order)
  }
  ways.forEach(({ sell, buy, fromSold, toBought }, order) => {
    for (const hop of hops) {
      if (hop.tokenIn === buy || hop.tokenOut === sell) continue
      if (fromSold.has(hop.tokenIn) && toBought.has(hop.tokenOut)) serve(hop, order)
    }
  })
  const isOpen = (order: number) => !moves(orders[order], users.keys())
  const open = hops.filter((hop) => !users.has(hop))
  const without = ways.map((_, order) => order).filter((order) => !served.has(order) || (isAlone && isOpen(order)))
  for (const order of without) {
    const way = ways[order]
    for (const hop of open) {
      if (way === undefined || hop.tokenIn === way.buy || hop.tokenOut === way.sell) continue
      if (way.fromSold.has(hop.tokenIn) || way.toBought.has(hop.tokenOut)) serve(hop, order)
    }
  }
  return users
}

/** Whether hops take and give all of an order, but for a fee. */
function moves(order: Order | undefined, hops: Iterable<Hop>): boolean {
  let took = 0n
  let gave = 0n
  for (const { tokenIn, amountIn, tokenOut, amountOut } of hops) {
    if (tokenIn === order?.sell) took += amountIn
    if (tokenOut === order?.buy) gave += amountOut
  }
  const isMost = (part: bigint, whole: bigint) => part >= whole || isFeeBetweenHops(part, whole)
  return order !== undefined && isMost(took, order.sellAmount) && isMost(gave, order.buyAmount)
}

function edgesOf(edges: Map<Address, Set<Address>>, token: Address): Set<Address> {
  const known = edges.get(token)
  if (known !== undefined) return known
  const made = new Set<Address>()
  edges.set(token, made)
  return made
}

/** Returns the tokens that hops reach from a start, without continuing beyond `last`. */
function reachedFrom(
  start: Address,
  edges: ReadonlyMap<Address, ReadonlySet<Address>>,
  last: Address,
): ReadonlySet<Address> {
  const reached = new Set([start])
  for (const token of reached) {
    if (token === last) continue
    for (const next of edges.get(token) ?? []) reached.add(next)
  }
  return reached
}

/**
 * Returns what the orders hold of the token that a hop takes. If none holds any yet (the last hop of a path may come
 * first), returns what the orders that buy its output want. If that is unknown, too, all weights are equal.
 */
function weightsOf(
  { tokenIn, tokenOut }: Hop,
  served: readonly number[],
  orders: readonly Order[],
  holdings: readonly ReadonlyTotals<Address>[],
): bigint[] {
  const held = served.map((order) => present(holdings[order]).of(tokenIn))
  if (held.some((amount) => amount > 0n)) return held
  const wants = served.map((order) => {
    const { buy, buyAmount } = orders[order] ?? {}
    return buy === tokenOut && buyAmount !== undefined ? buyAmount : 0n
  })
  return wants.some((amount) => amount > 0n) ? wants : served.map(() => 1n)
}

/** Splits an amount in proportion to weights, rounded down; the last nonzero weight gets the remainder. */
export function splitAmount(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  const parts = weights.map((weight) => (total === 0n ? 0n : (amount * weight) / total))
  const last = weights.findLastIndex((weight) => weight > 0n)
  const rest = amount - parts.reduce((sum, part) => sum + part, 0n)
  return parts.map((part, at) => (at === last ? part + rest : part))
}

/** Holdings never go below 0: a hop may take more than its orders brought. */
function move(held: Totals<Address>, hop: Hop, amountIn: bigint, amountOut: bigint): void {
  const left = held.of(hop.tokenIn) - amountIn
  held.set(hop.tokenIn, left > 0n ? left : 0n)
  held.add(hop.tokenOut, amountOut)
}
