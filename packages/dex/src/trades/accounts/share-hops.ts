import type { Address } from '../../chain.ts'
import { larger } from '../../maths/integers.ts'
import { present } from '../../present.ts'
import { Groups, type ReadonlyTotals, Totals } from '../../totals.ts'
import { isFeeBetweenHops } from '../routes.ts'
import type { Hop, Leg } from '../trade.ts'

type TokenAmount = Pick<Leg, 'token' | 'amount'>

export interface Order {
  sell: TokenAmount
  buy: TokenAmount
}

export interface SharedHops {
  parts: Hop[][]
  rest: Hop[]
}

/**
 * Divides hops among the orders of several accounts (docs/internals/trades.md, 22). The shares of a hop add up to its
 * amounts.
 *
 * @param isAlone there is only one order, and no event names an account other than its owner
 */
export function shareHops(hops: readonly Hop[], orders: readonly Order[], isAlone = false): SharedHops {
  const users = usersOf(hops, orders, isAlone)
  const parts: Hop[][] = orders.map(() => [])
  const rest: Hop[] = []
  const holdings = orders.map(({ sell }) => new Totals([[sell.token, sell.amount]]))
  for (const hop of hops) {
    const served = users.of(hop)
    if (served.length === 0) rest.push(hop)
    const weights = weightsOf(hop, served, orders, holdings)
    const paid = splitAmount(hop.amountIn, weights)
    const got = splitAmount(hop.amountOut, weights)
    served.forEach((order, index) => {
      const amountIn = present(paid[index])
      const amountOut = present(got[index])
      if (amountIn === 0n && amountOut === 0n) return
      const isWhole = amountIn === hop.amountIn && amountOut === hop.amountOut
      parts[order]?.push(isWhole ? hop : { ...hop, amountIn, amountOut })
      const held = present(holdings[order])
      // A hop may take more than its orders hold.
      held.set(hop.tokenIn, larger(held.of(hop.tokenIn) - amountIn, 0n))
      held.add(hop.tokenOut, amountOut)
    })
  }
  return { parts, rest }
}

function usersOf(hops: readonly Hop[], orders: readonly Order[], isAlone: boolean): Groups<Hop, number> {
  const after = new Groups<Address, Address>()
  const before = new Groups<Address, Address>()
  for (const { tokenIn, tokenOut } of hops) {
    after.add(tokenIn, tokenOut)
    before.add(tokenOut, tokenIn)
  }
  const reaches = orders.map(({ sell, buy }) => ({
    sell: sell.token,
    buy: buy.token,
    fromSold: reachedFrom(sell.token, after, buy.token),
    toBought: reachedFrom(buy.token, before, sell.token),
  }))
  const users = new Groups<Hop, number>()
  const served = new Set<number>()
  const serve = (hop: Hop, order: number) => {
    served.add(order)
    users.add(hop, order)
  }
  reaches.forEach(({ sell, buy, fromSold, toBought }, order) => {
    for (const hop of hops) {
      if (hop.tokenIn === buy || hop.tokenOut === sell) continue
      if (fromSold.has(hop.tokenIn) && toBought.has(hop.tokenOut)) serve(hop, order)
    }
  })
  const isOpen = (order: number) => !movesAll(present(orders[order]), users.keys())
  const open = hops.filter((hop) => !users.has(hop))
  const without = reaches.map((_, order) => order).filter((order) => !served.has(order) || (isAlone && isOpen(order)))
  for (const order of without) {
    const reach = reaches[order]
    for (const hop of open) {
      if (reach === undefined || hop.tokenIn === reach.buy || hop.tokenOut === reach.sell) continue
      if (reach.fromSold.has(hop.tokenIn) || reach.toBought.has(hop.tokenOut)) serve(hop, order)
    }
  }
  return users
}

function movesAll(order: Order, hops: Iterable<Hop>): boolean {
  let took = 0n
  let gave = 0n
  for (const { tokenIn, amountIn, tokenOut, amountOut } of hops) {
    if (tokenIn === order.sell.token) took += amountIn
    if (tokenOut === order.buy.token) gave += amountOut
  }
  const isAll = (part: bigint, whole: bigint) => part >= whole || isFeeBetweenHops(part, whole)
  return isAll(took, order.sell.amount) && isAll(gave, order.buy.amount)
}

function reachedFrom(start: Address, edges: Groups<Address, Address>, last: Address): ReadonlySet<Address> {
  const reached = new Set([start])
  for (const token of reached) {
    if (token === last) continue
    for (const next of edges.of(token)) reached.add(next)
  }
  return reached
}

/**
 * An order weighs what it holds of the sold token, else what it wants of the bought one, because the last hop of a path
 * may come first.
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
    const { buy } = present(orders[order])
    return buy.token === tokenOut ? buy.amount : 0n
  })
  return wants.some((amount) => amount > 0n) ? wants : served.map(() => 1n)
}

/** Splits an amount in proportion to weights, rounding down; the last nonzero weight gets the remainder. */
export function splitAmount(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  const parts = weights.map((weight) => (total === 0n ? 0n : (amount * weight) / total))
  const last = weights.findLastIndex((weight) => weight > 0n)
  const rest = amount - parts.reduce((sum, part) => sum + part, 0n)
  return parts.map((part, index) => (index === last ? part + rest : part))
}
