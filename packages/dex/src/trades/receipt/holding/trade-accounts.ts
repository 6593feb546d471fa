import type { Transaction } from '../../../chain/block.ts'
import type { Address } from '../../../chain/hex.ts'
import type { Leg, PoolTrade } from '../../trade.ts'
import { Holders } from './holders.ts'
import type { Holdings } from './holdings.ts'

interface AccountFacts {
  transaction: Transaction
  /** Accounts that somebody trades for, each once. */
  behind: readonly Address[]
  wrappedNative: Address
}

/** Whose the trades of a transaction are. */
export class TradeAccounts {
  readonly #holdings: Holdings
  readonly #facts: AccountFacts
  readonly #behind: ReadonlySet<Address>
  #holders: Holders | null = null

  constructor(holdings: Holdings, facts: AccountFacts) {
    this.#holdings = holdings
    this.#facts = facts
    this.#behind = new Set(facts.behind)
  }

  /** The account, where an event names it. */
  namedAs(account: Address | null): Address | null {
    return account !== null && this.#behind.has(account) ? account : null
  }

  /**
   * Whose a trade is: the one account named that holds its ends, else the signer where it does; else the only account
   * that is named; else, with none named, the signer. Null where that leaves several.
   */
  accountFor(trade: PoolTrade | null): Address | null {
    const { transaction, behind } = this.#facts
    if (behind.length === 0) return transaction.from
    const [holder, ...others] = this.#holdersOf(trade)
    if (others.length > 0) return null
    if (holder !== undefined) return holder
    if (transaction.from !== null && this.#holds(transaction.from, trade)) return transaction.from
    return behind.length === 1 ? (behind[0] ?? null) : null
  }

  /** The named accounts that hold a trade; of several, two. */
  #holdersOf(trade: PoolTrade | null): readonly Address[] {
    const { behind, wrappedNative } = this.#facts
    if (trade === null || behind.length === 1) return behind.filter((account) => this.#holds(account, trade))
    this.#holders ??= new Holders(behind, (account) => this.#holdings.netsOf(account), wrappedNative)
    return this.#holders.firstTwoOf(trade)
  }

  /** Whether an account gave what a trade sells and got what it buys; of no trade in particular, whether it did at all. */
  #holds(account: Address, trade: PoolTrade | null): boolean {
    if (trade === null) return this.#holdings.netsOf(account).tokens.size > 0
    const { gave, got } = this.partIn(trade, account)
    return gave && got && !(trade.sell.native && trade.buy.native)
  }

  /**
   * Whether an account gave what a trade sells, and got what it buys. Coins that are not logged leave no trace: they are
   * taken for its own.
   */
  partIn({ sell, buy }: PoolTrade, account: Address): { gave: boolean; got: boolean } {
    const { tokens, coins } = this.#holdings.netsOf(account)
    const has = ({ token, native }: Leg, sign: bigint) => {
      if (native && coins === undefined) return true
      const ofCoins = token === this.#facts.wrappedNative ? (coins ?? 0n) : 0n
      return sign * ofCoins > 0n || sign * (tokens.get(token) ?? 0n) > 0n
    }
    return { gave: has(sell, -1n), got: has(buy, 1n) }
  }
}
