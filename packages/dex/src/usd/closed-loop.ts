import { type AnchorPrices, everyAnchor, valueE8 } from '../anchor-prices.ts'
import type { Address } from '../chain.ts'
import { absolute, larger } from '../maths/integers.ts'
import { Groups } from '../totals.ts'
import type { Hop, Trade } from '../trades/trade.ts'

/** Up to this fraction (1/100) of the value, a net is a profit, a fee or a rounding error. */
const REST_DIVISOR = 100n

/**
 * Returns the indexes of a block's transactions in which no address outside the pools gave or received more than 1 % of
 * the value: arbitrage or wash trading (docs/internals/usd.md, "Closed loops").
 */
export function closedLoops(trades: readonly Trade[], prices: AnchorPrices): ReadonlySet<number> {
  const found = new Set<number>()
  const anchors = everyAnchor(prices)
  const hopsOf = new Groups<number, Hop>()
  for (const { transactionIndex, hops } of trades) for (const hop of hops) hopsOf.add(transactionIndex, hop)
  for (const { transactionIndex, outside } of trades) {
    if (outside !== undefined && isClosed(hopsOf.of(transactionIndex), outside, anchors)) found.add(transactionIndex)
  }
  return found
}

type Anchors = ReturnType<typeof everyAnchor>

/** What hops moved of a token. `sold` and `bought` are values of the hops' anchor sides, in USD scaled by 1e8. */
interface TokenFlow {
  sold: bigint
  bought: bigint
  /** Includes hops without an anchor. */
  net: bigint
  largest: bigint
  isPartlyValued: boolean
}

function isClosed(hops: readonly Hop[], outside: ReadonlyMap<Address, bigint>, anchors: Anchors): boolean {
  const flows = new Map<Address, TokenFlow>()
  let total = 0n
  for (const hop of hops) {
    const value = anchorValue(hop, anchors)
    if (value !== null && value > total) total = value
    const sold = flowOf(flows, hop.tokenIn)
    const bought = flowOf(flows, hop.tokenOut)
    sold.net += hop.amountIn
    bought.net -= hop.amountOut
    sold.largest = larger(sold.largest, hop.amountIn)
    bought.largest = larger(bought.largest, hop.amountOut)
    if (value === null) {
      sold.isPartlyValued = true
      bought.isPartlyValued = true
    } else {
      sold.sold += value
      bought.bought += value
    }
  }
  if (total === 0n) return false
  for (const [token, flow] of flows) {
    const net = outside.get(token)
    if (net === undefined) return false
    const price = anchors.get(token)
    const rest = price === undefined ? unpricedRest(flow, net, total) : valueE8(net, price)
    if (rest * REST_DIVISOR > total) return false
  }
  return true
}

function flowOf(flows: Map<Address, TokenFlow>, token: Address): TokenFlow {
  const flow = flows.get(token) ?? { sold: 0n, bought: 0n, net: 0n, largest: 0n, isPartlyValued: false }
  flows.set(token, flow)
  return flow
}

function unpricedRest(
  { sold, bought, net, largest, isPartlyValued }: TokenFlow,
  outside: bigint,
  total: bigint,
): bigint {
  if (outside * REST_DIVISOR <= largest) return 0n
  return isPartlyValued ? (total * absolute(net)) / largest : absolute(sold - bought)
}

function anchorValue({ tokenIn, amountIn, tokenOut, amountOut }: Hop, anchors: Anchors): bigint | null {
  const paid = anchors.get(tokenIn)
  const got = anchors.get(tokenOut)
  if (paid !== undefined) return valueE8(amountIn, paid)
  return got === undefined ? null : valueE8(amountOut, got)
}
