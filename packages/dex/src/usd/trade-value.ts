import type { Address } from '../chain/hex.ts'
import {
  FLAG_CAPPED,
  FLAG_DEPEGGED,
  FLAG_DISAGREEMENT,
  FLAG_PARTIAL,
  type Hop,
  type PricedTrade,
  type Trade,
  type UsdSource,
  type UsdValue,
} from '../trades/trade.ts'
import { type AnchorPrice, type AnchorPrices, valueE8 } from './anchor-prices.ts'
import { disagree, hopValues, jitFlagOf } from './hop-values.ts'
import { reserveCap } from './reserve-cap.ts'

const UNPRICED: UsdValue = { usdE8: null, source: null, flags: 0 }

/** Amount of one anchor that stands for the value of a trade. */
interface Measure {
  source: UsdSource
  amounts: readonly { token: Address; amount: bigint; price: AnchorPrice }[]
}

/**
 * The trade with its USD value (docs/usd.md: sources and guards).
 *
 * @param stateable whether both tokens' decimals are known; a trade that cannot be listed has no value either
 */
export function priceTrade(trade: Trade, prices: AnchorPrices, stateable: boolean): PricedTrade {
  const { blockNumber, timestamp, transactionIndex, position, txHash, trader, settledFor, sell, buy } = trade
  const value = tradeValue(trade, prices)
  const { usdE8, source, flags } = stateable ? value : UNPRICED
  const marks = (trade.isPartial ? FLAG_PARTIAL : 0) | jitFlagOf(trade.hops)
  const { hopsUsdE8, hopsFlags } = hopValues(trade.hops, prices, value)
  // Written out: spreading two objects costs more than valuing the trade.
  const priced: PricedTrade = {
    blockNumber,
    timestamp,
    transactionIndex,
    position,
    txHash,
    trader,
    settledFor,
    sell,
    buy,
    hops: trade.hops,
    byToken: trade.byToken,
    isPartial: trade.isPartial,
    hopsUsdE8,
    usdE8,
    source,
    flags: flags | marks,
  }
  if (hopsFlags !== undefined) priced.hopsFlags = hopsFlags
  if (trade.throughPools !== undefined) priced.throughPools = trade.throughPools
  if (trade.moves !== undefined) priced.moves = trade.moves
  return priced
}

/** The ends that a trade is valued by, and its hops. */
type Valued = Pick<Trade, 'sell' | 'buy' | 'hops'>

function tradeValue(told: Trade, prices: AnchorPrices): UsdValue {
  const { sell, buy } = told.throughPools ?? told
  const trade: Valued = { sell, buy, hops: told.hops }
  const measure = measureOf(trade, prices)
  if (measure === null) return UNPRICED
  let usdE8 = 0n
  let flags = legsDisagree(trade, prices) ? FLAG_DISAGREEMENT : 0
  for (const { token, amount, price } of measure.amounts) {
    const cap = reserveCap(trade.hops, token)
    if (cap !== null && amount > cap) flags |= FLAG_CAPPED
    if (price.depegged) flags |= FLAG_DEPEGGED
    usdE8 += valueE8(cap !== null && amount > cap ? cap : amount, price)
  }
  return { usdE8, source: measure.source, flags }
}

function measureOf(trade: Valued, prices: AnchorPrices): Measure | null {
  const stable =
    legMeasure(trade, prices.stablecoins, 'stablecoin') ?? routeMeasure(trade, prices.stablecoins, 'route-stablecoin')
  if (stable !== null) return stable
  return (
    legMeasure(trade, prices.native, 'native') ??
    routeMeasure(trade, prices.native, 'native') ??
    legMeasure(trade, prices.others, 'anchor') ??
    routeMeasure(trade, prices.others, 'anchor')
  )
}

function legMeasure(
  { sell, buy }: Valued,
  anchors: ReadonlyMap<Address, AnchorPrice>,
  source: UsdSource,
): Measure | null {
  const leg = anchors.has(sell.token) ? sell : buy
  const price = anchors.get(leg.token)
  return price === undefined ? null : { source, amounts: [{ token: leg.token, amount: leg.amount, price }] }
}

/** What passed into the anchors between the legs (of a single hop nothing), where no branch goes around them. */
function routeMeasure(
  { sell, buy, hops }: Valued,
  anchors: ReadonlyMap<Address, AnchorPrice>,
  source: UsdSource,
): Measure | null {
  if (hops.length < 2) return null
  const amounts = hops.flatMap(({ tokenIn, tokenOut, amountOut }) => {
    const price = anchors.get(tokenOut)
    return price === undefined || anchors.has(tokenIn) ? [] : [{ token: tokenOut, amount: amountOut, price }]
  })
  if (amounts.length === 0 || reachesAround(hops, sell.token, buy.token, anchors)) return null
  return { source, amounts }
}

/** Whether the bought token can be reached from the sold one without touching an anchor. */
function reachesAround(
  hops: readonly Hop[],
  from: Address,
  to: Address,
  anchors: ReadonlyMap<Address, AnchorPrice>,
): boolean {
  const reached = new Set([from])
  for (let grown = true; grown; ) {
    grown = false
    for (const { tokenIn, tokenOut } of hops) {
      if (!reached.has(tokenIn) || reached.has(tokenOut) || anchors.has(tokenOut)) continue
      reached.add(tokenOut)
      grown = true
    }
  }
  return reached.has(to)
}

function legsDisagree({ sell, buy }: Valued, prices: AnchorPrices): boolean {
  const ends = { tokenIn: sell.token, amountIn: sell.amount, tokenOut: buy.token, amountOut: buy.amount }
  return disagree(ends, prices)
}
