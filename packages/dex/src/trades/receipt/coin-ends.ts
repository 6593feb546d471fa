import { MAX_UINT256 } from '../../abi/words.ts'
import type { Address, Transaction } from '../../chain.ts'
import { absolute, smaller } from '../../maths/integers.ts'
import { Groups, type ReadonlyTotals } from '../../totals.ts'
import { keeperOf } from '../../venues/managed-pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import type { NetSwap } from '../routes.ts'
import type { Hop, Leg, PoolTrade } from '../trade.ts'
import type { Ledger } from './ledger.ts'
import { type ReceiptFlows, totalOf, type Wrapping } from './receipt-flows.ts'

/** Amounts are in wei. */
export interface CoinFacts {
  wrappedNative: Address
  trader: Address | null
  value: bigint
  flow: CoinFlow
}

/** Summed in advance, because a transaction may hold thousands of swaps. */
export interface CoinFlow {
  deposited: bigint
  /** By the whole transaction, or after the swap's own hops. */
  withdrawn: bigint
  withdrawnByTrader: bigint
}

export function coinFlow(deposited: bigint, withdrawals: readonly Wrapping[], trader: Address | null): CoinFlow {
  const ofTrader = withdrawals.filter(({ account }) => account === trader)
  return { deposited, withdrawn: totalOf(withdrawals), withdrawnByTrader: totalOf(ofTrader) }
}

export function soldLeg({ sold, soldAmount, hops }: NetSwap, { wrappedNative, value, flow }: CoinFacts): Leg {
  if (sold !== wrappedNative || value === 0n) return { token: sold, amount: soldAmount, native: false }
  const paid = hops.reduce((sum, { nativeIn, amountIn }) => (nativeIn ? sum + amountIn : sum), 0n)
  const isUnwrappedForPools = paid > value && isNineTenths(flow.withdrawn, paid)
  const native = !isUnwrappedForPools && flow.deposited + paid >= soldAmount
  return { token: sold, amount: soldAmount, native }
}

/**
 * The bought leg is the coin if pools and wrapper paid out at least 90 % of it. Only the trader can unwrap what pools
 * paid to its account.
 */
export function boughtLeg({ bought, boughtAmount, hops }: NetSwap, facts: CoinFacts): Leg {
  if (bought !== facts.wrappedNative) return { token: bought, amount: boughtAmount, native: false }
  const { trader, value, flow } = facts
  const last = hops.filter(({ tokenOut }) => tokenOut === bought)
  const isPaidToTrader = trader !== null && last.every(({ recipient }) => recipient === trader)
  const withdrawn = isPaidToTrader ? flow.withdrawnByTrader : flow.withdrawn
  const received = last.reduce((sum, { nativeOut, amountOut }) => (nativeOut ? sum + amountOut : sum), 0n)
  const wrapped = flow.deposited - value
  const coins = wrapped > 0n ? received - smaller(wrapped, received) : received
  return { token: bought, amount: boughtAmount, native: isNineTenths(withdrawn + coins, boughtAmount) }
}

/**
 * Groups withdrawals by the last earlier hop that paid the wrapped coin to the withdrawing account or, without one, to
 * anybody. Passes only once over both lists, which are in log order and may fill a block.
 */
export function withdrawalsByHop(
  hops: readonly Hop[],
  withdrawals: readonly Wrapping[],
  wrappedNative: Address,
): Groups<Hop, Wrapping> {
  const byHop = new Groups<Hop, Wrapping>()
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
    if (source !== undefined) byHop.add(source, withdrawal)
  }
  return byHop
}

export function withdrawalsOf(hops: readonly Hop[], byHop: Groups<Hop, Wrapping>): readonly Wrapping[] {
  return hops.flatMap((hop) => byHop.of(hop)).sort((a, b) => a.logIndex - b.logIndex)
}

interface MakerFacts {
  hops: readonly Hop[]
  transaction: Transaction
  ledger: Ledger
  /** If true, a withdrawal counts for one hop only. */
  hasOwnSwaps: boolean
}

/** Returns a function that turns a net swap into a trade and decides whether its legs are the coin or the wrapper. */
export function poolTradeMaker({ hops, transaction, ledger, hasOwnSwaps }: MakerFacts): (swap: NetSwap) => PoolTrade {
  const { flows, wrappedNative } = ledger
  const { from: trader, value } = transaction
  const deposited = totalOf(flows.deposits)
  const whole = coinFlow(deposited, flows.withdrawals, trader)
  const byHop = hasOwnSwaps ? withdrawalsByHop(hops, flows.withdrawals, wrappedNative) : null
  return (swap) => {
    const flow = byHop === null ? whole : coinFlow(deposited, withdrawalsOf(swap.hops, byHop), trader)
    const coins = { wrappedNative, trader, value, flow }
    return { sell: soldLeg(swap, coins), buy: boughtLeg(swap, coins), hops: swap.hops }
  }
}

function isNineTenths(part: bigint, whole: bigint): boolean {
  return part * 10n >= whole * 9n
}

/** In wei. Less does not count as spent: bots send a few wei along as data. */
export const DUST_COINS = 10n ** 12n

export interface Exchange {
  sell: Leg
  buy: Leg
}

/** The net is negative if the account gave the token. */
export type Flow = readonly [token: Address, net: bigint, native: boolean]

/**
 * Returns the exchange, or null unless exactly one token was given and one received. Coin and wrapper count as the same
 * token.
 */
export function exchangeOf(flows: readonly Flow[]): Exchange | null {
  const [first, second] = flows
  if (first === undefined || second === undefined || flows.length > 2) return null
  const [given, received] = first[1] < 0n ? [first, second] : [second, first]
  if (given[1] >= 0n || received[1] <= 0n || given[0] === received[0]) return null
  if (-given[1] > MAX_UINT256 || received[1] > MAX_UINT256) return null
  return {
    sell: { token: given[0], amount: -given[1], native: given[2] },
    buy: { token: received[0], amount: received[1], native: received[2] },
  }
}

export function loggedFlows(tokens: ReadonlyTotals<Address>, coins: bigint, wrappedNative: Address): Flow[] {
  const wrapped = tokens.of(wrappedNative)
  const flows = [...tokens].flatMap(([token, net]): Flow[] => (token === wrappedNative ? [] : [[token, net, false]]))
  if (coins * wrapped > 0n) {
    flows.push([wrappedNative, coins + wrapped, absolute(coins) >= absolute(wrapped)])
    return flows
  }
  if (coins !== 0n) flows.push([wrappedNative, coins, true])
  if (wrapped !== 0n) flows.push([wrappedNative, wrapped, false])
  return flows
}

interface CoinEnd {
  amount: bigint
  native: boolean
}

/**
 * Returns an account's end in coin or wrapper: of its two nets and their sum, the one nearest to the pools' amount.
 * Returns null if none has the direction of the end.
 *
 * @param coins net in the direction of the end, negative in the opposite one; likewise `wrapped`
 */
export function coinEnd(coins: bigint, wrapped: bigint, pools: bigint): CoinEnd | null {
  const both = coins + wrapped
  let nearest: CoinEnd | null = null
  for (const amount of [coins, wrapped, both]) {
    if (amount <= 0n || amount > MAX_UINT256) continue
    if (nearest !== null && absolute(amount - pools) >= absolute(nearest.amount - pools)) continue
    const native = amount === both ? coins >= wrapped : amount === coins
    nearest = { amount, native }
  }
  return nearest
}

export interface WrappedTransfers {
  senders: ReadonlySet<Address>
  amounts: ReadonlySet<bigint>
}

export function wrappedTransfers({ transfers }: ReceiptFlows, wrappedNative: Address): WrappedTransfers {
  const wrapped = transfers.filter(({ token }) => token === wrappedNative)
  return { senders: new Set(wrapped.map(({ from }) => from)), amounts: new Set(wrapped.map(({ amount }) => amount)) }
}

/** Some pools (Curve's) hold coins under the wrapper's name. */
export function mayPayOwnCoins(hops: readonly Hop[], wrappedNative: Address): boolean {
  return hops.every(({ pool, tokenOut }) => tokenOut !== wrappedNative || protocolOf(pool.dex.kind).holdsCoins)
}

export function paidNoWrapper(
  hops: readonly Hop[],
  { senders, amounts }: WrappedTransfers,
  wrappedNative: Address,
): boolean {
  return !hops.some(
    ({ pool, tokenOut, amountOut }) =>
      tokenOut === wrappedNative && (senders.has(keeperOf(pool)) || amounts.has(amountOut)),
  )
}

/**
 * Returns how many coins the transaction's only withdrawal paid. Returns null unless it unwrapped what the trade's hops
 * paid, and nothing else paid coins.
 */
export function unwrappedOnce(hops: readonly Hop[], ledger: Ledger, venues: ReadonlySet<Address>): bigint | null {
  const { flows, wrappedNative } = ledger
  const [withdrawal, ...others] = flows.withdrawals
  if (withdrawal === undefined || others.length > 0 || flows.deposits.length > 0) return null
  const { account, amount, logIndex } = withdrawal
  if (venues.has(account)) return null
  if (hops.some((hop) => hop.nativeIn || hop.nativeOut || hop.logIndex > logIndex)) return null
  const net = ledger.ofToken(wrappedNative).of(account)
  return net <= 0n && isNineTenths(amount + net, amount) ? amount : null
}
