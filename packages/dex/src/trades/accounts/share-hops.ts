import type { Address } from '../../chain/hex.ts'
import type { Hop } from '../trade.ts'

/** What one account gave for what. */
export interface Order {
  sell: Address
  sellAmount: bigint
  buy: Address
  /** Null: not known. */
  buyAmount: bigint | null
}

/** The hops of a transaction by whose they are. */
export interface SharedHops {
  /** Of each order, in log order: whole hops, and its parts of those that several orders share. */
  parts: Hop[][]
  /** Of no order. */
  rest: Hop[]
}

/**
 * Shares hops among the orders of several accounts. A hop serves the orders on whose way it lies: it takes what can be
 * had for the sold token by the hops, and gives what leads to the bought one. Orders without any such hop take those
 * that only begin or only end their way (the other part of it is not read). Of several orders each has the part of the
 * hop that its holdings of the paid token are of theirs together; amounts of the parts add up to the hop's.
 *
 * One pass over the hops for each order.
 */
export function shareHops(hops: readonly Hop[], orders: readonly Order[]): SharedHops {
  const users = usersOf(hops, orders)
  const parts: Hop[][] = orders.map(() => [])
  const rest: Hop[] = []
  const holdings = orders.map(({ sell, sellAmount }) => new Map([[sell, sellAmount]]))
  for (const hop of hops) {
    const served = users.get(hop) ?? []
    if (served.length === 0) rest.push(hop)
    const weights = weightsOf(hop, served, orders, holdings)
    const [paid, got] = [splitAmount(hop.amountIn, weights), splitAmount(hop.amountOut, weights)]
    served.forEach((order, at) => {
      const [amountIn, amountOut] = [paid[at] ?? 0n, got[at] ?? 0n]
      if (amountIn === 0n && amountOut === 0n) return
      const isWhole = amountIn === hop.amountIn && amountOut === hop.amountOut
      parts[order]?.push(isWhole ? hop : { ...hop, amountIn, amountOut })
      move(holdings[order], hop, amountIn, amountOut)
    })
  }
  return { parts, rest }
}

/** The places of the orders that each hop serves. */
function usersOf(hops: readonly Hop[], orders: readonly Order[]): Map<Hop, number[]> {
  const [after, before] = [new Map<Address, Set<Address>>(), new Map<Address, Set<Address>>()]
  for (const { tokenIn, tokenOut } of hops) {
    edgesOf(after, tokenIn).add(tokenOut)
    edgesOf(before, tokenOut).add(tokenIn)
  }
  const ways = orders.map(({ sell, buy }) => ({
    ...{ sell, buy },
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
  const open = hops.filter((hop) => !users.has(hop))
  const without = ways.map((_, order) => order).filter((order) => !served.has(order))
  for (const order of without) {
    const way = ways[order]
    for (const hop of open) {
      if (way === undefined || hop.tokenIn === way.buy || hop.tokenOut === way.sell) continue
      if (way.fromSold.has(hop.tokenIn) || way.toBought.has(hop.tokenOut)) serve(hop, order)
    }
  }
  return users
}

function edgesOf(edges: Map<Address, Set<Address>>, token: Address): Set<Address> {
  const known = edges.get(token)
  if (known !== undefined) return known
  const made = new Set<Address>()
  edges.set(token, made)
  return made
}

/** The tokens that hops lead to from one, not over the last one. */
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
 * What the orders hold of what a hop takes; where none holds any yet (the last hop of a way may come first), what those
 * want that buy what it gives; where nothing tells, the same for all.
 */
function weightsOf(
  { tokenIn, tokenOut }: Hop,
  served: readonly number[],
  orders: readonly Order[],
  holdings: readonly ReadonlyMap<Address, bigint>[],
): bigint[] {
  const held = served.map((order) => holdings[order]?.get(tokenIn) ?? 0n)
  if (held.some((amount) => amount > 0n)) return held
  const wanted = served.map((order) => {
    const { buy, buyAmount } = orders[order] ?? {}
    return buy === tokenOut ? (buyAmount ?? 0n) : 0n
  })
  return wanted.some((amount) => amount > 0n) ? wanted : served.map(() => 1n)
}

/** An amount in proportion to weights, rounded down; the last one with any weight has the rest. */
export function splitAmount(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  const parts = weights.map((weight) => (total === 0n ? 0n : (amount * weight) / total))
  const last = weights.findLastIndex((weight) => weight > 0n)
  const rest = amount - parts.reduce((sum, part) => sum + part, 0n)
  return parts.map((part, at) => (at === last ? part + rest : part))
}

/** Nobody holds less than nothing: a hop may take more than its orders brought. */
function move(held: Map<Address, bigint> | undefined, hop: Hop, amountIn: bigint, amountOut: bigint): void {
  if (held === undefined) return
  const left = (held.get(hop.tokenIn) ?? 0n) - amountIn
  held.set(hop.tokenIn, left > 0n ? left : 0n)
  held.set(hop.tokenOut, (held.get(hop.tokenOut) ?? 0n) + amountOut)
}
