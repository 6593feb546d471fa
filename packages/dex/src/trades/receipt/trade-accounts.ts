import { type Address, type Log, type Transaction, ZERO_ADDRESS } from '../../chain.ts'
import type { Settlement } from '../../deployments/deployment.ts'
import { absolute, larger } from '../../maths/integers.ts'
import { present } from '../../present.ts'
import { Totals } from '../../totals.ts'
import { END_SIDES, type EndSide, type Leg, type PoolTrade } from '../trade.ts'
import { DUST_COINS, type Exchange } from './coin-ends.ts'
import type { AccountNets, Ledger } from './ledger.ts'
import { isUnnamedFill, type NamedAccount, ORDER_FILLED_V6, type ReportedOrder } from './settlements.ts'

interface MakerFacts {
  transaction: Transaction
  logs: readonly Log[]
  ledger: Ledger
  hasHops: boolean
  venues: ReadonlySet<Address>
  settlements: readonly Settlement[]
}

/**
 * Removes the makers whose 1inch limit orders are part of somebody else's swap, and adds those that no event names
 * (docs/internals/trades.md, "Limit orders").
 */
export function withMakers(named: readonly NamedAccount[], facts: MakerFacts): readonly NamedAccount[] {
  const { transaction, logs, ledger, hasHops, settlements } = facts
  const unnamed = logs.filter((log) => isUnnamedFill(log, settlements))
  const others = named.filter(({ isMaker }) => isMaker !== true)
  if (others.length === named.length && unnamed.length === 0) return named
  // Without hops, an account whose operation filled limit orders has no other evidence of its trade.
  if (others.length > 0) return hasHops ? others : others.map(withFill)
  const { logIndex } = present(unnamed.at(-1) ?? named.at(-1))
  const signer = partyOf(transaction, ledger)
  if (signer !== null) return hasHops ? [] : [{ ...accountOfFill(signer, logIndex), isTaker: true }]
  const ofV6 = unnamed.filter(({ topics }) => topics[0] === ORDER_FILLED_V6)
  return makersOf(ofV6, named, facts).map((maker) => {
    return named.find(({ account }) => account === maker) ?? { ...accountOfFill(maker, logIndex), isMaker: true }
  })
}

function withFill(named: NamedAccount): NamedAccount {
  return named.hasOrder ? named : { ...named, hasOrder: true, isUnproven: true }
}

function accountOfFill(account: Address, logIndex: number): NamedAccount {
  return { account, sold: new Set(), bought: new Set(), hasOrder: true, logIndex }
}

/**
 * Returns the makers of all fills, or none if they are not certain. A fill of V6 ends with the payment to its maker and
 * then the event.
 */
function makersOf(fills: readonly Log[], named: readonly NamedAccount[], facts: MakerFacts): Address[] {
  const { ledger, hasHops } = facts
  const makers = new Set(named.map(({ account }) => account))
  const givers = giversOf(facts)
  let open = 0
  for (const payee of payeesBefore(fills, ledger)) {
    if (payee !== null && givers.has(payee)) makers.add(payee)
    else open++
  }
  const others = [...givers].filter((account) => !makers.has(account))
  // A user's swap begins with what the user gives.
  const isOfUser = hasHops && [...givers][0] === others[0]
  if (open === 0 && !isOfUser) return [...makers]
  const { wrappedNative } = ledger
  const sellers = hasHops ? others : others.filter((account) => !ledger.of(account).tokens.has(wrappedNative))
  return sellers.length === open ? [...makers, ...sellers] : []
}

/**
 * Returns who received the last transfer before each fill, or null if coins were unwrapped after it. `fills` are in log
 * order.
 */
function payeesBefore(fills: readonly Log[], ledger: Ledger): (Address | null)[] {
  const { transfers, withdrawals } = ledger.flows
  let paid = 0
  let unwrapped = 0
  return fills.map(({ logIndex }) => {
    while ((transfers[paid]?.logIndex ?? logIndex) < logIndex) paid++
    while ((withdrawals[unwrapped]?.logIndex ?? logIndex) < logIndex) unwrapped++
    const payment = transfers[paid - 1]
    const withdrawal = withdrawals[unwrapped - 1]
    return payment === undefined || (withdrawal?.logIndex ?? -1) > payment.logIndex ? null : payment.to
  })
}

/** Returns the signer if it gave or got something, else null. */
function partyOf({ from, value }: Transaction, ledger: Ledger): Address | null {
  if (from === null) return null
  const { tokens, coins = -value } = ledger.of(from)
  return tokens.size > 0 || absolute(coins) >= DUST_COINS ? from : null
}

function giversOf({ ledger, venues }: MakerFacts): ReadonlySet<Address> {
  const { transfers } = ledger.flows
  const tokens = new Set(transfers.map(({ token }) => token))
  const senders = new Set(transfers.map(({ from }) => from))
  const isGiver = (account: Address) => {
    if (account === ZERO_ADDRESS || venues.has(account) || tokens.has(account)) return false
    return [...ledger.of(account).tokens.values()].some((net) => net < 0n)
  }
  return new Set([...senders].filter(isGiver))
}

interface AccountFacts {
  transaction: Transaction
  /** The account in whose user operations all hops lie. */
  operator?: Address
  principals: readonly Address[]
  orders: readonly ReportedOrder[]
  /** What each account gave and received, without interest, claims and other income. */
  ledger: Ledger
  withIncome: Ledger
}

export class TradeAccounts {
  readonly #facts: AccountFacts
  readonly #principals: ReadonlySet<Address>
  /** What all trades sell and buy of each token. */
  readonly #sums: Readonly<Record<EndSide, Totals<Address>>> = { sell: new Totals(), buy: new Totals() }
  #holders: Holders | null = null
  /** Named accounts that got a token. */
  #receivers: ReadonlySet<Address> | null = null
  #reported: ReadonlyMap<Address, Record<EndSide, Totals<Address>>> | null = null

  constructor(trades: readonly PoolTrade[], facts: AccountFacts) {
    this.#facts = facts
    this.#principals = new Set(facts.principals)
    for (const trade of trades) {
      for (const side of END_SIDES) this.#sums[side].add(trade[side].token, trade[side].amount)
    }
  }

  namedAs(account: Address | null): Address | null {
    return account !== null && this.#principals.has(account) ? account : null
  }

  /** Returns the account of a trade (docs/internals/trades.md, 7), or null if several are possible. */
  accountFor(trade: PoolTrade | null): Address | null {
    const { transaction, principals } = this.#facts
    if (principals.length === 0) return transaction.from
    const [holder, ...others] = this.#holdersOf(trade)
    if (others.length > 0) return null
    if (holder !== undefined && (trade === null || this.#isMover(holder, trade))) return holder
    if (transaction.from !== null && this.#holds(transaction.from, trade)) return transaction.from
    const [only] = principals
    if (only === undefined || principals.length > 1) return null
    return trade === null || this.#isMover(only, trade) ? only : null
  }

  /**
   * Returns the ends of which the account moved at least half of what all trades moved, by its nets or its orders, or
   * none if it has a smaller part in an end. Without this, a stranger could fill a tiny order to have another swap booked
   * to its owner.
   */
  endsMovedBy(account: Address, exchange: Exchange): readonly EndSide[] {
    const { transaction, operator } = this.#facts
    if (account === transaction.from || account === operator) return END_SIDES
    const moved = END_SIDES.filter((side) => this.#movedBy(account, side, exchange[side].token) > 0n)
    const isHalf = (side: EndSide) => {
      const { token } = exchange[side]
      return isHalfOf(this.#movedBy(account, side, token), this.#sums[side].of(token))
    }
    return moved.every(isHalf) ? moved : []
  }

  /** Returns whether the named account got no token, not even as income. */
  hasOnlyGiven(account: Address): boolean {
    const { principals, withIncome } = this.#facts
    const hasGot = (named: Address) => [...withIncome.of(named).tokens.values()].some((net) => net > 0n)
    this.#receivers ??= new Set(principals.filter(hasGot))
    return !this.#receivers.has(account)
  }

  #isMover(account: Address, trade: PoolTrade): boolean {
    return this.endsMovedBy(account, trade).length > 0
  }

  #movedBy(account: Address, side: EndSide, token: Address): bigint {
    const { tokens, coins = 0n } = this.#facts.ledger.of(account)
    const sign = side === 'sell' ? -1n : 1n
    this.#reported ??= this.#reportedAmounts()
    const reported = this.#reported.get(account)?.[side].of(token) ?? 0n
    const ofToken = larger(sign * tokens.of(token), reported)
    return token === this.#facts.ledger.wrappedNative ? larger(ofToken, sign * coins) : ofToken
  }

  /** A payer may name any owner, so an owner bought what the payer sold, but did not sell it. */
  #reportedAmounts(): ReadonlyMap<Address, Record<EndSide, Totals<Address>>> {
    const byAccount = new Map<Address, Record<EndSide, Totals<Address>>>()
    for (const order of this.#facts.orders) {
      for (const side of END_SIDES) {
        const account = side === 'sell' ? (order.payer ?? order.owner) : order.owner
        const sums = byAccount.get(account) ?? { sell: new Totals(), buy: new Totals() }
        byAccount.set(account, sums)
        sums[side].add(order[side].token, order[side].amount ?? 0n)
      }
    }
    return byAccount
  }

  #holdersOf(trade: PoolTrade | null): readonly Address[] {
    const { principals, ledger } = this.#facts
    if (trade === null) return principals.filter((account) => this.#holds(account, trade))
    this.#holders ??= new Holders(principals, (account) => ledger.of(account), ledger.wrappedNative)
    return this.#holders.firstTwoOf(trade)
  }

  #holds(account: Address, trade: PoolTrade | null): boolean {
    if (trade === null) return this.#facts.ledger.of(account).tokens.size > 0
    const { gave, got } = this.partIn(trade, account)
    return gave && got && !(trade.sell.native && trade.buy.native)
  }

  /** Coins that are not logged count as the account's own. */
  partIn({ sell, buy }: Exchange, account: Address): { gave: boolean; got: boolean } {
    const { tokens, coins } = this.#facts.ledger.of(account)
    const has = ({ token, native }: Leg, sign: bigint) => {
      if (native && coins === undefined) return true
      const mayBeCoins = coins !== undefined && token === this.#facts.ledger.wrappedNative
      return (mayBeCoins && sign * coins > 0n) || sign * tokens.of(token) > 0n
    }
    return { gave: has(sell, -1n), got: has(buy, 1n) }
  }
}

/** Returns whether the amount is at least half of another. */
export function isHalfOf(amount: bigint, whole: bigint): boolean {
  return 2n * amount >= whole
}

interface Parties {
  gave: Map<Address, Set<Address>>
  got: Map<Address, Set<Address>>
}

const NOBODY: ReadonlySet<Address> = new Set()

/**
 * Finds the accounts that gave what a trade sells and received what it buys. Looks up each pair of ends once, because
 * there may be thousands of trades and accounts.
 */
export class Holders {
  readonly #accounts: ReadonlySet<Address>
  readonly #areCoinsKnown: boolean
  readonly #parties: Parties = { gave: new Map(), got: new Map() }
  readonly #known = new Map<string, readonly Address[]>()

  constructor(accounts: readonly Address[], netsOf: (account: Address) => AccountNets, wrappedNative: Address) {
    this.#accounts = new Set(accounts)
    let areCoinsKnown = false
    for (const account of accounts) {
      const { tokens, coins } = netsOf(account)
      areCoinsKnown ||= coins !== undefined
      for (const [token, net] of tokens) this.#note(account, token, net)
      if (coins !== undefined) this.#note(account, wrappedNative, coins)
    }
    this.#areCoinsKnown = areCoinsKnown
  }

  /** Returns at most two accounts (two means that the trade is ambiguous), and none for a trade of coins for coins. */
  firstTwoOf({ sell, buy }: Exchange): readonly Address[] {
    if (sell.native && buy.native) return []
    const key = `${sell.token} ${sell.native} ${buy.token} ${buy.native}`
    const cached = this.#known.get(key)
    if (cached !== undefined) return cached
    const gave = this.#accountsOf('gave', sell)
    const got = this.#accountsOf('got', buy)
    const [fewer, more] = gave.size < got.size ? [gave, got] : [got, gave]
    const found: Address[] = []
    for (const account of fewer) {
      if (more.has(account)) found.push(account)
      if (found.length === 2) break
    }
    this.#known.set(key, found)
    return found
  }

  /** Any account may have coins that are not logged. */
  #accountsOf(part: keyof Parties, { token, native }: Leg): ReadonlySet<Address> {
    if (native && !this.#areCoinsKnown) return this.#accounts
    return this.#parties[part].get(token) ?? NOBODY
  }

  #note(account: Address, token: Address, net: bigint): void {
    if (net === 0n) return
    const parties = net < 0n ? this.#parties.gave : this.#parties.got
    const ofToken = parties.get(token) ?? new Set()
    parties.set(token, ofToken.add(account))
  }
}
