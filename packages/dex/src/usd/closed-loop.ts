import { type AnchorPrices, everyAnchor, valueE8 } from '../anchor-prices.ts'
import type { Address } from '../chain/hex.ts'
import { absolute } from '../maths/integers.ts'
import type { Hop, Trade } from '../trades/trade.ts'

/** The share (1/100) of a transaction's value up to which a net is left over, as a profit, a fee or a rounding. */
const REST_DIVISOR = 100n

/**
 * Returns the transactions of a block, by index, in which no address outside of the pools gave or received more than 1 %
 * of the value. That is arbitrage or wash trading; a receipt does not tell which. `trades` are in order.
 *
 * The value of a transaction is that of its largest hop, before what counts of it. Of an anchor, what addresses netted
 * counts. Anyone can emit transfers of other tokens: of these the difference counts between the values of the hops that
 * sold and that bought them, if an address netted any.
 */
export function closedLoops(trades: readonly Trade[], prices: AnchorPrices): ReadonlySet<number> {
  const found = new Set<number>()
  const anchors = everyAnchor(prices)
  for (let from = 0, next = 1; from < trades.length; from = next++) {
    while (trades[next]?.transactionIndex === trades[from]?.transactionIndex && next < trades.length) next++
    const { outside, transactionIndex = -1 } = trades[from] ?? {}
    const hops = trades.slice(from, next).flatMap((trade) => trade.hops)
    if (outside !== undefined && isClosed(hops, outside, anchors)) found.add(transactionIndex)
  }
  return found
}

type Anchors = ReturnType<typeof everyAnchor>

/** How much of a token a transaction's hops moved. Values are those of their anchor sides, in USD scaled by 1e8. */
interface TokenFlow {
  sold: bigint
  bought: bigint
  /** Of hops without an anchor, too. */
  net: bigint
  largest: bigint
  /** Some hop has no anchor. */
  isPartlyValued: boolean
}

function isClosed(hops: readonly Hop[], outside: ReadonlyMap<Address, bigint>, anchors: Anchors): boolean {
  const flows = new Map<Address, TokenFlow>()
  let total = 0n
  for (const hop of hops) {
    const value = largestValue(hop, anchors)
    if (value !== null && value > total) total = value
    noteSide(flows, hop.tokenIn, hop.amountIn, value, true)
    noteSide(flows, hop.tokenOut, hop.amountOut, value, false)
  }
  if (total === 0n) return false
  for (const [token, flow] of flows) {
    const net = outside.get(token)
    if (net === undefined || restOf(token, flow, net, anchors, total) * REST_DIVISOR > total) return false
  }
  return true
}

function noteSide(
  flows: Map<Address, TokenFlow>,
  token: Address,
  amount: bigint,
  value: bigint | null,
  isSold: boolean,
): void {
  const flow = flows.get(token) ?? { sold: 0n, bought: 0n, net: 0n, largest: 0n, isPartlyValued: false }
  flows.set(token, flow)
  flow.net += isSold ? amount : -amount
  if (amount > flow.largest) flow.largest = amount
  if (value === null) flow.isPartlyValued = true
  else flow[isSold ? 'sold' : 'bought'] += value
}

/** Returns the value of what an address outside of the pools may have netted of a token. */
function restOf(token: Address, flow: TokenFlow, outside: bigint, anchors: Anchors, total: bigint): bigint {
  const price = anchors.get(token)
  if (price !== undefined) return valueE8(outside, price)
  const { sold, bought, net, largest, isPartlyValued } = flow
  if (outside * REST_DIVISOR <= largest) return 0n
  return isPartlyValued ? (total * absolute(net)) / largest : absolute(sold - bought)
}

function largestValue({ tokenIn, amountIn, tokenOut, amountOut }: Hop, anchors: Anchors): bigint | null {
  const paid = anchors.get(tokenIn)
  const got = anchors.get(tokenOut)
  if (paid !== undefined) return valueE8(amountIn, paid)
  return got === undefined ? null : valueE8(amountOut, got)
}
