import { amountDecimal, checksumAddress, type V1Body } from '@dexfeed/contract'
import {
  type Address,
  type AmountQuote,
  formulaKind,
  type Market,
  type PoolState,
  type QuotePart,
  type Rate,
  significantDecimal,
  Totals,
  usdText,
} from '@dexfeed/dex'
import type { LiveMarket } from '../live-market.ts'
import { blockOf, impactText, midRate, quoteFlags } from '../quote-facts.ts'
import type { AskedQuote } from './quote-question.ts'

type Body = V1Body<'quoteAmount'>
const PRICE_DIGITS = 18
const SHARE_DIGITS = 8
const BPS = 10_000n

// In units of gas, rounded from public figures of routers. A real transaction differs with its router, cold storage,
// crossed ticks and transfers.

/** Calldata, and the router's checks and last transfer. */
const TRANSACTION = 50_000
const PART = 20_000
const PAIR = 70_000
const CONCENTRATED = 100_000
const OTHER_FORMULA = 180_000

export interface BodyContext {
  live: LiveMarket
  /** In seconds since 1970. */
  now: number
  isPartial: boolean
  /** Returns USD times 10^8; null if unknown. */
  usdE8: (token: Address, amount: bigint) => bigint | null
}

export function quoteBody(asked: AskedQuote, quoted: AmountQuote, context: BodyContext): Body {
  const { live, isPartial, usdE8 } = context
  const { network, sell, buy, side } = asked
  const { amountIn, amountOut, parts } = quoted
  const evidenceOf = (token: AskedQuote['sell']) => live.moves.evidence(token.address)
  const fees = feesOf(quoted, context)
  const feesE8 = fees && sumOrNull(fees.map((fee) => fee.e8))
  const usd = (e8: bigint | null) => (e8 === null ? null : usdText(e8))
  return {
    network,
    sell_token: sell.metadata,
    buy_token: buy.metadata,
    side,
    amount_in: String(amountIn),
    amount_in_decimal: amountDecimal(String(amountIn), sell.decimals),
    amount_out: String(amountOut),
    amount_out_decimal: amountDecimal(String(amountOut), buy.decimals),
    ...limitsOf(asked, quoted),
    parts: parts.map((part) => partOf(part, amountIn)),
    ...pricesOf(asked, quoted, context),
    fees: fees?.map(({ token, amount, e8 }) => ({ token, amount: String(amount), usd: usd(e8) })) ?? null,
    fees_usd: usd(feesE8),
    amount_in_usd: usd(usdE8(sell.address, amountIn)),
    amount_out_usd: usd(usdE8(buy.address, amountOut)),
    gas_estimate: parts.length === 0 ? 0 : gasEstimate(parts.map(({ hops }) => statesOf(hops, live.market))),
    gas_usd: null,
    sell_transfers: evidenceOf(sell),
    buy_transfers: evidenceOf(buy),
    flags: quoteFlags(
      live.market,
      [sell.address, buy.address],
      parts.map(({ hops }) => hops),
    ),
    block: blockOf(live, context.now),
    partial: isPartial ? 'unread-pools' : null,
  }
}

function limitsOf({ side, slippageBps }: AskedQuote, { amountIn, amountOut }: AmountQuote) {
  if (slippageBps === null) return { min_out: null, max_in: null }
  const bps = BigInt(slippageBps)
  if (side === 'in') return { min_out: String((amountOut * (BPS - bps)) / BPS), max_in: null }
  return { min_out: null, max_in: String((amountIn * (BPS + bps) + BPS - 1n) / BPS) }
}

function partOf({ amountIn, amountOut, hops }: QuotePart, whole: bigint): Body['parts'][0] {
  return {
    share: amountDecimal(String((amountIn * 10n ** BigInt(SHARE_DIGITS)) / whole), SHARE_DIGITS),
    amount_in: String(amountIn),
    amount_out: String(amountOut),
    hops: hops.map((hop) => ({
      pool: hop.pool.address,
      protocol: hop.pool.protocol ?? null,
      token_in: checksumAddress(hop.tokenIn),
      token_out: checksumAddress(hop.tokenOut),
      amount_in: String(hop.amountIn),
      amount_out: String(hop.amountOut),
      fee: hop.fee === null ? null : String(hop.fee),
    })),
  }
}

function pricesOf({ sell, buy }: AskedQuote, { amountIn, amountOut, parts }: AmountQuote, { live }: BodyContext) {
  const whole = (rate: Rate) => {
    const numerator = rate.numerator * 10n ** BigInt(sell.decimals)
    const denominator = rate.denominator * 10n ** BigInt(buy.decimals)
    return significantDecimal({ numerator, denominator }, PRICE_DIGITS)
  }
  const rate = { numerator: amountOut, denominator: amountIn }
  const mid = parts.length === 0 ? rate : midRate(live.market, parts)
  return { price: whole(rate), mid_price: mid && whole(mid), price_impact: mid && impactText(rate, mid) }
}

function feesOf({ parts }: AmountQuote, { usdE8 }: BodyContext) {
  const byToken = new Totals<Address>()
  for (const { tokenIn, fee } of parts.flatMap(({ hops }) => hops)) {
    if (fee === null) return null
    byToken.add(tokenIn, fee)
  }
  return [...byToken].map(([token, amount]) => ({ token: checksumAddress(token), amount, e8: usdE8(token, amount) }))
}

function sumOrNull(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0n)
}

/** @param parts the states of each part's pools */
export function gasEstimate(parts: readonly (readonly PoolState[])[]): number {
  const hops = parts.flat().reduce((sum, state) => sum + gasOfHop(state), 0)
  return TRANSACTION + Math.max(0, parts.length - 1) * PART + hops
}

function gasOfHop(state: PoolState): number {
  if (state.kind === 'pair') return PAIR
  if (state.kind === 'concentrated') return CONCENTRATED
  return formulaKind(state.formula)?.gas ?? OTHER_FORMULA
}

function statesOf(hops: QuotePart['hops'], market: Market): PoolState[] {
  return hops.flatMap(({ pool }) => market.pool(pool.address)?.state ?? [])
}
