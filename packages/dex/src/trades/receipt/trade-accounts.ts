import type { Transaction } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import type { Leg, PoolTrade } from '../trade.ts'
import type { AccountNets, Ledger } from './ledger.ts'

interface AccountFacts {
  transaction: Transaction
  principals: readonly Address[]
  ledger: Ledger
}

/** Assigns the trades of a transaction to accounts. */
export class TradeAccounts {
  readonly #facts: AccountFacts
  readonly #principals: ReadonlySet<Address>
  #holders: Holders | null = null

  constructor(facts: AccountFacts) {
    this.#facts = facts
    this.#principals = new Set(facts.principals)
  }

  /** Returns the account if an event names it, else null. */
  namedAs(account: Address | null): Address | null {
    return account !== null && this.#principals.has(account) ? account : null
  }

  /**
   * Returns the account of a trade; null if several are possible. The first that applies:
   *
   * 1. with no account named: the signer.
   * 2. the only named account that holds its ends.
   * 3. the signer, if it holds its ends.
   * 4. the only named account.
   */
  accountFor(trade: PoolTrade | null): Address | null {
    const { transaction, principals } = this.#facts
    if (principals.length === 0) return transaction.from
    const [holder, ...others] = this.#holdersOf(trade)
    if (others.length > 0) return null
    if (holder !== undefined) return holder
    if (transaction.from !== null && this.#holds(transaction.from, trade)) return transaction.from
    return principals.length === 1 ? (principals[0] ?? null) : null
  }

  /** Returns the named accounts that hold a trade, at most two. */
  #holdersOf(trade: PoolTrade | null): readonly Address[] {
    const { principals, ledger } = this.#facts
    if (trade === null || principals.length === 1) return principals.filter((account) => this.#holds(account, trade))
    this.#holders ??= new Holders(principals, (account) => ledger.of(account), ledger.wrappedNative)
    return this.#holders.firstTwoOf(trade)
  }

  /** Returns whether an account gave the sold and got the bought token; without a trade: gave or got anything. */
  #holds(account: Address, trade: PoolTrade | null): boolean {
    if (trade === null) return this.#facts.ledger.of(account).tokens.size > 0
    const { gave, got } = this.partIn(trade, account)
    return gave && got && !(trade.sell.native && trade.buy.native)
  }

  /** Returns the sides of a trade that an account gave and got. Unlogged coins leave no trace and count as its own. */
  partIn({ sell, buy }: PoolTrade, account: Address): { gave: boolean; got: boolean } {
    const { tokens, coins } = this.#facts.ledger.of(account)
    const has = ({ token, native }: Leg, sign: bigint) => {
      if (native && coins === undefined) return true
      const mayBeCoins = coins !== undefined && token === this.#facts.ledger.wrappedNative
      return (mayBeCoins && sign * coins > 0n) || sign * tokens.of(token) > 0n
    }
    return { gave: has(sell, -1n), got: has(buy, 1n) }
  }
}

/** By token, the accounts that gave some and the accounts that received some. */
interface Parties {
  gave: Map<Address, Set<Address>>
  got: Map<Address, Set<Address>>
}

const NONE: ReadonlySet<Address> = new Set()

/**
 * Finds the accounts that hold a trade: they gave what it sells and received what it buys. Each pair of ends is looked
 * up once, among the accounts that gave or received one of the two tokens.
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

  /** Returns up to two accounts that hold a trade (two: ambiguous). No account holds a trade of coins for coins. */
  firstTwoOf({ sell, buy }: Pick<PoolTrade, 'sell' | 'buy'>): readonly Address[] {
    if (sell.native && buy.native) return []
    const key = `${sell.token} ${sell.native} ${buy.token} ${buy.native}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
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

  /** Coins that are not logged leave no trace: any account may have them. */
  #accountsOf(part: keyof Parties, { token, native }: Leg): ReadonlySet<Address> {
    if (native && !this.#areCoinsKnown) return this.#accounts
    return this.#parties[part].get(token) ?? NONE
  }

  #note(account: Address, token: Address, net: bigint): void {
    if (net === 0n) return
    const parties = net < 0n ? this.#parties.gave : this.#parties.got
    const ofToken = parties.get(token) ?? new Set()
    parties.set(token, ofToken.add(account))
  }
}
