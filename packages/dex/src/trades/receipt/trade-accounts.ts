import { topicOf } from '../../abi/fragment.ts'
import { hasWords } from '../../abi/words.ts'
import type { Log, Transaction } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import type { Settlement } from '../../deployments/deployment.ts'
import type { Leg, PoolTrade } from '../trade.ts'
import { DUST_COINS, type Exchange } from './coin-ends.ts'
import type { AccountNets, Ledger } from './ledger.ts'
import type { NamedAccount } from './settlements.ts'

/** Event of 1inch's AggregationRouterV6, which names no maker. */
const ORDER_FILLED = topicOf('event OrderFilled(bytes32 orderHash, uint256 remainingAmount)')

interface MakerFacts {
  transaction: Transaction
  logs: readonly Log[]
  ledger: Ledger
  hasHops: boolean
  venues: ReadonlySet<Address>
  settlements: readonly Settlement[]
}

/**
 * Removes the makers whose 1inch limit orders are part of somebody else's swap, and adds the only maker if no event
 * names it (docs/internals/trades.md, "Limit orders").
 */
export function withMakers(named: readonly NamedAccount[], facts: MakerFacts): readonly NamedAccount[] {
  const { transaction, ledger, hasHops } = facts
  const filled = facts.logs.findLast((log) => isUnnamedFill(log, facts.settlements))
  const others = named.filter(({ isMaker }) => isMaker !== true)
  if (others.length === named.length && filled === undefined) return named
  if (others.length > 0 || isParty(transaction, ledger)) return others
  // Without hops, the filler gave what the maker received.
  if (!hasHops) return named
  const givers = giversOf(facts)
  if (filled === undefined) return givers.every((giver) => named.some(({ account }) => account === giver)) ? named : []
  const [account, ...more] = givers
  if (account === undefined || more.length > 0 || named.some((namedAccount) => namedAccount.account !== account))
    return []
  const { logIndex } = filled
  return [{ account, sold: new Set(), bought: new Set(), hasOrder: true, isMaker: true, logIndex }]
}

function isUnnamedFill({ address, topics, data }: Log, settlements: readonly Settlement[]): boolean {
  if (topics[0] !== ORDER_FILLED || topics.length !== 1 || !hasWords(data, 2)) return false
  return settlements.some((settlement) => settlement.kind === '1inch-v6' && settlement.address === address)
}

function isParty({ from, value }: Transaction, ledger: Ledger): boolean {
  if (from === null) return false
  const { tokens, coins = -value } = ledger.of(from)
  return tokens.size > 0 || coins >= DUST_COINS || -coins >= DUST_COINS
}

function giversOf({ ledger, venues }: MakerFacts): Address[] {
  const { transfers } = ledger.flows
  const tokens = new Set(transfers.map(({ token }) => token))
  const senders = [...new Set(transfers.map(({ from }) => from))]
  return senders.filter((account) => {
    if (account === ZERO_ADDRESS || venues.has(account) || tokens.has(account)) return false
    return [...ledger.of(account).tokens.values()].some((net) => net < 0n)
  })
}

interface AccountFacts {
  transaction: Transaction
  principals: readonly Address[]
  ledger: Ledger
}

export class TradeAccounts {
  readonly #facts: AccountFacts
  readonly #principals: ReadonlySet<Address>
  #holders: Holders | null = null

  constructor(facts: AccountFacts) {
    this.#facts = facts
    this.#principals = new Set(facts.principals)
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
    if (holder !== undefined) return holder
    if (transaction.from !== null && this.#holds(transaction.from, trade)) return transaction.from
    return principals.length === 1 ? (principals[0] ?? null) : null
  }

  #holdersOf(trade: PoolTrade | null): readonly Address[] {
    const { principals, ledger } = this.#facts
    if (trade === null || principals.length === 1) return principals.filter((account) => this.#holds(account, trade))
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
