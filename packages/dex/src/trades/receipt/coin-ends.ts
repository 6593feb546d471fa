import { MAX_UINT256 } from '../../abi/words.ts'
import type { Address } from '../../chain/hex.ts'
import type { ReadonlyTotals } from '../../totals.ts'
import { keeperOf } from '../../venues/managed-pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import type { Hop, Leg } from '../trade.ts'
import type { Ledger } from './ledger.ts'
import type { ReceiptFlows } from './receipt-flows.ts'

/** Less than this is not spent: bots send some wei along, as data. */
export const DUST_COINS = 10n ** 12n

/** What one account gave and received in total: one token, or the coin, for another. */
export interface Exchange {
  sell: Leg
  buy: Leg
}

/** A flow of one token; negative if it was given. */
type Flow = readonly [token: Address, net: bigint, native: boolean]

/** Returns the flows as one token given for one received; null for anything else, or for coin and wrapper. */
export function exchangeOf(flows: readonly Flow[]): Exchange | null {
  const [one, other] = flows
  if (one === undefined || other === undefined || flows.length > 2) return null
  const [given, gotten] = one[1] < 0n ? [one, other] : [other, one]
  if (given[1] >= 0n || gotten[1] <= 0n || given[0] === gotten[0]) return null
  if (-given[1] > MAX_UINT256 || gotten[1] > MAX_UINT256) return null
  return {
    sell: { token: given[0], amount: -given[1], native: given[2] },
    buy: { token: gotten[0], amount: gotten[1], native: gotten[2] },
  }
}

/** Returns flows with logged coins. Coin and wrapper moved in one direction are one flow, named after the larger. */
export function loggedFlows(tokens: ReadonlyTotals<Address>, coins: bigint, wrappedNative: Address): Flow[] {
  const wrapped = tokens.of(wrappedNative)
  const others = [...tokens].filter(([token]) => token !== wrappedNative)
  const isOne = coins > 0n === wrapped > 0n && coins !== 0n && wrapped !== 0n
  const flows: Flow[] = others.map(([token, net]) => [token, net, false])
  if (isOne) flows.push([wrappedNative, coins + wrapped, coins > 0n ? coins >= wrapped : coins <= wrapped])
  else {
    if (coins !== 0n) flows.push([wrappedNative, coins, true])
    if (wrapped !== 0n) flows.push([wrappedNative, wrapped, false])
  }
  return flows
}

/** The senders and amounts of transfers of the wrapped coin. */
export interface WrappedTransfers {
  senders: ReadonlySet<Address>
  amounts: ReadonlySet<bigint>
}

export function wrappedTransfers({ transfers }: ReceiptFlows, wrappedNative: Address): WrappedTransfers {
  const wrapped = transfers.filter(({ token }) => token === wrappedNative)
  return { senders: new Set(wrapped.map(({ from }) => from)), amounts: new Set(wrapped.map(({ amount }) => amount)) }
}

/** Returns whether all pools that paid the wrapped coin may hold coins that events report as the wrapper. */
export function mayPayOwnCoins(hops: readonly Hop[], wrappedNative: Address): boolean {
  return hops.every(({ pool, tokenOut }) => tokenOut !== wrappedNative || protocolOf(pool.dex.kind).holdsCoins)
}

/**
 * Returns whether no transfer shows that the pools paid the wrapper. A transfer of the wrapper shows it in two cases:
 * it comes from a pool, or it has exactly the amount that a pool paid, which another account then wrapped.
 */
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

/** An account that received nine tenths of what it unwraps takes at most a rounding from its own stock. */
const GIVEN_TOP = 9n
const GIVEN_BOTTOM = 10n

/**
 * Returns the coins that the only withdrawal of a transaction paid, if nothing else paid coins. This holds if an
 * account that is not a pool received the wrapped coin from the pools, and then unwrapped all that was left. Otherwise
 * null. `hops` are those of the trade that bought the coin.
 */
export function unwrappedOnce(hops: readonly Hop[], ledger: Ledger, venues: ReadonlySet<Address>): bigint | null {
  const { flows, wrappedNative } = ledger
  const [withdrawal, ...others] = flows.withdrawals
  if (withdrawal === undefined || others.length > 0 || flows.deposits.length > 0) return null
  const { account, amount, logIndex } = withdrawal
  if (venues.has(account)) return null
  if (hops.some((hop) => hop.nativeIn || hop.nativeOut || hop.logIndex > logIndex)) return null
  const net = ledger.ofToken(wrappedNative).of(account)
  const given = amount + net
  return net <= 0n && given * GIVEN_BOTTOM >= amount * GIVEN_TOP ? amount : null
}
