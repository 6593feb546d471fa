import type { Address } from '../chain/hex.ts'
import type { ReceiptFlows, Wrapping } from './receipt/receipt-flows.ts'
import type { NetSwap } from './routes.ts'
import type { Hop, Leg } from './trade.ts'

/** What decides whether a leg in the wrapped coin is the coin itself. */
export interface CoinFacts {
  wrappedNative: Address
  trader: Address | null
  /** Coins that the transaction sent along, in wei. */
  value: bigint
  /** The withdrawals: of the whole transaction, or those that follow from the swap's own hops. */
  flow: Pick<ReceiptFlows, 'deposits' | 'withdrawals'>
}

/**
 * The sold leg. The coin was sold when the transaction sent some, and pools and wrapper together took in at least what
 * was sold of it. A pool may also have been paid with coins that were unwrapped for it: then the wrapper was sold.
 */
export function soldLeg({ sold, soldAmount, hops }: NetSwap, { wrappedNative, value, flow }: CoinFacts): Leg {
  if (sold !== wrappedNative || value === 0n) return { token: sold, amount: soldAmount, native: false }
  const paid = hops.reduce((sum, { nativeIn, amountIn }) => (nativeIn ? sum + amountIn : sum), 0n)
  const isUnwrappedForPools = paid > value && isMost(sumOf(flow.withdrawals), paid)
  const native = !isUnwrappedForPools && sumOf(flow.deposits) + paid >= soldAmount
  return { token: sold, amount: soldAmount, native }
}

/**
 * The bought leg. The coin was bought when pools and wrapper paid out at least 90 % of what was bought (a fee may stand
 * between). What the pools paid to the trader's own account only that account can have unwrapped; coins that came out
 * of pools and went into the wrapper were bought wrapped.
 */
export function boughtLeg({ bought, boughtAmount, hops }: NetSwap, facts: CoinFacts): Leg {
  if (bought !== facts.wrappedNative) return { token: bought, amount: boughtAmount, native: false }
  const { trader, value, flow } = facts
  const last = hops.filter(({ tokenOut }) => tokenOut === bought)
  const isPaidToTrader = trader !== null && last.every(({ recipient }) => recipient === trader)
  const withdrawals = isPaidToTrader ? flow.withdrawals.filter(({ account }) => account === trader) : flow.withdrawals
  const received = last.reduce((sum, { nativeOut, amountOut }) => (nativeOut ? sum + amountOut : sum), 0n)
  const wrapped = sumOf(flow.deposits) - value
  const coins = wrapped > 0n && received > 0n ? received - (wrapped < received ? wrapped : received) : received
  return { token: bought, amount: boughtAmount, native: isMost(sumOf(withdrawals) + coins, boughtAmount) }
}

/**
 * The withdrawals that follow from some hops among all of a transaction: each belongs to the nearest hop before it that
 * pays the wrapped coin to the withdrawing account, or else to the nearest one that pays the wrapped coin at all.
 */
export function withdrawalsOf(
  hops: readonly Hop[],
  all: readonly Hop[],
  withdrawals: readonly Wrapping[],
  wrappedNative: Address,
): Wrapping[] {
  const paying = all.filter(({ tokenOut }) => tokenOut === wrappedNative)
  return withdrawals.filter(({ account, logIndex }) => {
    const before = paying.filter((hop) => hop.logIndex < logIndex)
    const source = before.findLast(({ recipient }) => recipient === account) ?? before.at(-1)
    return source !== undefined && hops.includes(source)
  })
}

function isMost(part: bigint, whole: bigint): boolean {
  return part * 10n >= whole * 9n
}

function sumOf(wrappings: readonly Wrapping[]): bigint {
  return wrappings.reduce((sum, { amount }) => sum + amount, 0n)
}
