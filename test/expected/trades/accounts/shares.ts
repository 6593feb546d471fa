import type { Hop } from '../receipt/hops.ts'

export interface Order {
  owner: string
  /** Null if the owner sells for others. */
  account: string | null
  isTold: boolean
  /** Whether a withdrawal shows what was bought. A fee may have been taken from it. */
  isUnwrapped?: boolean
  /** Whether the owner may have been paid in another token. */
  needsHops?: boolean
  sold: { token: string; amount: bigint; native: boolean }
  bought: { token: string; amount: bigint; native: boolean }
}

export interface Share {
  hop: Hop
  amountIn: bigint
  amountOut: bigint
}

export function sharesOf(orders: readonly Order[], hops: readonly Hop[], isAlone = false): Map<Order, Share[]> {
  const shares = new Map(orders.map((order): [Order, Share[]] => [order, []]))
  const held = new Map(orders.map((order) => [order, new Map([[order.sold.token, order.sold.amount]])]))
  const servedBy = ordersByHop(orders, hops, isAlone)
  for (const hop of hops) {
    const served = servedBy.get(hop) ?? []
    const weights = weightsOf(hop, served, (order) => held.get(order)?.get(hop.tokenIn) ?? 0n)
    const [ins, outs] = [split(hop.amountIn, weights), split(hop.amountOut, weights)]
    served.forEach((order, at) => {
      const [amountIn, amountOut] = [ins[at] ?? 0n, outs[at] ?? 0n]
      if (amountIn === 0n && amountOut === 0n) return
      shares.get(order)?.push({ hop, amountIn, amountOut })
      const purse = held.get(order) ?? new Map<string, bigint>()
      const rest = (purse.get(hop.tokenIn) ?? 0n) - amountIn
      purse.set(hop.tokenIn, rest > 0n ? rest : 0n)
      purse.set(hop.tokenOut, (purse.get(hop.tokenOut) ?? 0n) + amountOut)
    })
  }
  return shares
}

function ordersByHop(orders: readonly Order[], hops: readonly Hop[], isAlone: boolean): Map<Hop, Order[]> {
  const reaches = new Map(orders.map((order) => [order, reachOf(order, hops)]))
  const isExcluded = ({ sold, bought }: Order, hop: Hop) => {
    return hop.tokenIn === bought.token || hop.tokenOut === sold.token
  }
  const serves = (order: Order, hop: Hop) => {
    const reach = reaches.get(order)
    return !isExcluded(order, hop) && reach?.from.has(hop.tokenIn) === true && reach.to.has(hop.tokenOut)
  }
  const direct = new Map(hops.map((hop) => [hop, orders.filter((order) => serves(order, hop))]))
  const unserved = orders.filter((order) => {
    const own = hops.filter((hop) => serves(order, hop))
    return own.length === 0 || (isAlone && !isMoved(order, own))
  })
  return new Map(
    [...direct].map(([hop, served]) => {
      if (served.length > 0) return [hop, served]
      const partly = unserved.filter((order) => {
        const reach = reaches.get(order)
        return (
          !isExcluded(order, hop) && (reach?.from.has(hop.tokenIn) === true || reach?.to.has(hop.tokenOut) === true)
        )
      })
      return [hop, partly]
    }),
  )
}

/** Returns whether the hops moved the order's amounts, except for a fee of at most a twentieth. */
function isMoved({ sold, bought }: Order, hops: readonly Hop[]): boolean {
  const took = hops.reduce((sum, hop) => sum + (hop.tokenIn === sold.token ? hop.amountIn : 0n), 0n)
  const gave = hops.reduce((sum, hop) => sum + (hop.tokenOut === bought.token ? hop.amountOut : 0n), 0n)
  return 20n * took >= 19n * sold.amount && 20n * gave >= 19n * bought.amount
}

function reachOf({ sold, bought }: Order, hops: readonly Hop[]): { from: Set<string>; to: Set<string> } {
  const [from, to] = [new Set([sold.token]), new Set([bought.token])]
  for (let size = 0; size < from.size + to.size; ) {
    size = from.size + to.size
    for (const { tokenIn, tokenOut } of hops) {
      if (from.has(tokenIn) && tokenIn !== bought.token) from.add(tokenOut)
      if (to.has(tokenOut) && tokenOut !== sold.token) to.add(tokenIn)
    }
  }
  return { from, to }
}

function weightsOf(hop: Hop, served: readonly Order[], heldBy: (order: Order) => bigint): bigint[] {
  const held = served.map(heldBy)
  if (served.length === 1) return [1n]
  if (held.some((amount) => amount > 0n)) return held
  const bought = served.map((order) => (order.bought.token === hop.tokenOut ? order.bought.amount : 0n))
  return bought.some((amount) => amount > 0n) ? bought : served.map(() => 1n)
}

/** Splits an amount by weight, rounding down. The last part with any weight gets the remainder. */
function split(amount: bigint, weights: readonly bigint[]): bigint[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0n)
  const last = weights.findLastIndex((weight) => weight > 0n)
  const parts = weights.map((weight, at) => (at === last ? 0n : (amount * weight) / whole))
  const rest = amount - parts.reduce((sum, part) => sum + part, 0n)
  return parts.map((part, at) => (at === last ? rest : part))
}
