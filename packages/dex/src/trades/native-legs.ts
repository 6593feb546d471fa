import type { Address } from '../chain/hex.ts'
import { totalOf, type Wrapping } from './receipt/receipt-flows.ts'
import type { NetSwap } from './routes.ts'
import type { Hop, Leg } from './trade.ts'

/** Decides whether a leg in the wrapped coin is the coin itself. */
export interface CoinFacts {
  wrappedNative: Address
  trader: Address | null
  /** Coins that the transaction sent, in wei. */
  value: bigint
  flow: CoinFlow
}

/** Coins wrapped and unwrapped, in wei; summed once, because a transaction may hold thousands of swaps. */
export interface CoinFlow {
  deposited: bigint
  /** By the whole transaction, or after the swap's own hops. */
  withdrawn: bigint
  /** The part that the trader withdrew. */
  withdrawnByTrader: bigint
}

/** @param deposited of the whole transaction, in wei */
export function coinFlow(deposited: bigint, withdrawals: readonly Wrapping[], trader: Address | null): CoinFlow {
  const own = withdrawals.filter(({ account }) => account === trader)
  return { deposited, withdrawn: totalOf(withdrawals), withdrawnByTrader: totalOf(own) }
}

/**
 * Returns the sold leg. The coin was sold if the transaction sent some, and pools and wrapper together received at
 * least the sold amount. Exception: the wrapper was sold if coins were unwrapped to pay a pool.
 */
export function soldLeg({ sold, soldAmount, hops }: NetSwap, { wrappedNative, value, flow }: CoinFacts): Leg {
  if (sold !== wrappedNative || value === 0n) return { token: sold, amount: soldAmount, native: false }
  const paid = hops.reduce((sum, { nativeIn, amountIn }) => (nativeIn ? sum + amountIn : sum), 0n)
  const isUnwrappedForPools = paid > value && isMost(flow.withdrawn, paid)
  const native = !isUnwrappedForPools && flow.deposited + paid >= soldAmount
  return { token: sold, amount: soldAmount, native }
}

/**
 * Returns the bought leg. The coin was bought if pools and wrapper paid out at least 90 % of the bought amount; a fee
 * may account for the rest.
 *
 * Only the trader can unwrap what pools paid to the trader's own account. Coins that left pools and entered the wrapper
 * were bought wrapped.
 */
export function boughtLeg({ bought, boughtAmount, hops }: NetSwap, facts: CoinFacts): Leg {
  if (bought !== facts.wrappedNative) return { token: bought, amount: boughtAmount, native: false }
  const { trader, value, flow } = facts
  const last = hops.filter(({ tokenOut }) => tokenOut === bought)
  const isPaidToTrader = trader !== null && last.every(({ recipient }) => recipient === trader)
  const withdrawn = isPaidToTrader ? flow.withdrawnByTrader : flow.withdrawn
  const received = last.reduce((sum, { nativeOut, amountOut }) => (nativeOut ? sum + amountOut : sum), 0n)
  const wrapped = flow.deposited - value
  const coins = wrapped > 0n && received > 0n ? received - (wrapped < received ? wrapped : received) : received
  return { token: bought, amount: boughtAmount, native: isMost(withdrawn + coins, boughtAmount) }
}

/**
 * Groups the withdrawals of a transaction by the hop that they follow from. That is the nearest earlier hop that pays
 * the wrapped coin to the withdrawing account, or else the nearest earlier hop that pays the wrapped coin at all. A
 * withdrawal without such a hop is left out. One pass over both lists, which are in log order: either may be as long as
 * a block allows.
 */
export function withdrawalsByHop(
  hops: readonly Hop[],
  withdrawals: readonly Wrapping[],
  wrappedNative: Address,
): ReadonlyMap<Hop, readonly Wrapping[]> {
  const byHop = new Map<Hop, Wrapping[]>()
  const paying = hops.filter(({ tokenOut }) => tokenOut === wrappedNative)
  const lastPaying = new Map<Address, Hop>()
  let last: Hop | undefined
  let passed = 0
  for (const withdrawal of withdrawals) {
    for (let hop = paying[passed]; hop !== undefined && hop.logIndex < withdrawal.logIndex; hop = paying[++passed]) {
      if (hop.recipient !== null) lastPaying.set(hop.recipient, hop)
      last = hop
    }
    const source = lastPaying.get(withdrawal.account) ?? last
    if (source === undefined) continue
    const followed = byHop.get(source)
    if (followed === undefined) byHop.set(source, [withdrawal])
    else followed.push(withdrawal)
  }
  return byHop
}

/** Returns the withdrawals that follow from some hops, in log order. */
export function withdrawalsOf(hops: readonly Hop[], byHop: ReadonlyMap<Hop, readonly Wrapping[]>): readonly Wrapping[] {
  return hops.flatMap((hop) => byHop.get(hop) ?? []).sort((a, b) => a.logIndex - b.logIndex)
}

function isMost(part: bigint, whole: bigint): boolean {
  return part * 10n >= whole * 9n
}
