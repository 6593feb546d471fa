import { MAX_UINT256 } from '../../abi/words.ts'
import type { Transaction } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import { keeperOf } from '../../protocols/managed-pool.ts'
import type { Leg, PoolTrade } from '../trade.ts'
import { BURN_ADDRESSES } from './burn-addresses.ts'
import { joinRoutes } from './join-routes.ts'
import { type AccountNets, holdersOf, netsOf, type ReceiptFlows } from './receipt-flows.ts'

/** What somebody else gained is what was bought from this part (4/5) of what the pools paid. */
const [LEAST_GAIN_TOP, LEAST_GAIN_BOTTOM] = [4n, 5n]

/** What the trader gave and got, as far as the receipt tells. */
export interface TradeEnds extends PoolTrade {
  /** The account that a settlement or an account's contract traded for. */
  settledFor: Address | null
  /** What went through the pools, where it is not what the trader gave and got. */
  throughPools?: { sell: Leg; buy: Leg }
  /** The account gave or got another token, and what it was worth of it is not known: the ends are the pools'. */
  isPartial: boolean
}

/** What the ends of a transaction's trades are told from. */
export interface EndFacts {
  transaction: Transaction
  flows: ReceiptFlows
  /** Accounts that somebody trades for, each once. */
  behind: readonly Address[]
  /** Contracts that take and give tokens but are nobody's account: pools, and what keeps their tokens. */
  venues: ReadonlySet<Address>
  wrappedNative: Address
}

/**
 * The ends of a transaction's trades, from what went through the pools and what the accounts gave and got (docs/trades.md
 * states the rules in full). Trades that a token made for itself are not among them.
 */
export function tradeEnds(trades: readonly PoolTrade[], facts: EndFacts): TradeEnds[] {
  const joined = joinRoutes(trades, facts)
  const reader = new EndReader(joined, facts)
  return reader.oneForAll() ?? joined.map((trade) => reader.endsOf(trade))
}

/** What an account gave and got, where that is one for one. */
interface Exchange {
  sell: Leg
  /** Null: it is not known how many coins. */
  buy: Omit<Leg, 'amount'> & { amount: bigint | null }
}

class EndReader {
  readonly #trades: readonly PoolTrade[]
  readonly #facts: EndFacts
  readonly #nets = new Map<Address, AccountNets>()
  readonly #gainers = new Map<Address, [Address, bigint][]>()
  /** How many trades end in a token. */
  readonly #ends = new Map<Address, number>()
  #exchange: Exchange | null = null

  constructor(trades: readonly PoolTrade[], facts: EndFacts) {
    this.#trades = trades
    this.#facts = facts
    for (const { sell, buy } of trades) {
      this.#ends.set(sell.token, (this.#ends.get(sell.token) ?? 0) + 1)
      if (buy.token !== sell.token) this.#ends.set(buy.token, (this.#ends.get(buy.token) ?? 0) + 1)
    }
  }

  /** The one trade that the account's flows are, where they are not those of any route; null: the routes are right. */
  oneForAll(): TradeEnds[] | null {
    const { behind } = this.#facts
    if (behind.length > 1) return null
    const account = this.#accountFor(null)
    const exchange = account === null ? null : this.#exchangeOf(account)
    // Coins and their wrapper are one token: such flows are no trade.
    if (exchange === null || exchange.sell.token === exchange.buy.token) return null
    this.#exchange = exchange
    const { sell, buy } = exchange
    if (this.#trades.some((trade) => trade.sell.token === sell.token && trade.buy.token === buy.token)) return null
    const [first, last] = [this.#trades[0], this.#trades.at(-1)]
    if (buy.amount === null || first === undefined || last === undefined) return null
    const [sold, bought] = [
      this.#trades.find((trade) => trade.sell.token === sell.token) ?? first,
      this.#trades.findLast((trade) => trade.buy.token === buy.token) ?? last,
    ]
    return [
      {
        sell,
        buy: { ...buy, amount: buy.amount },
        hops: this.#trades.flatMap(({ hops }) => hops).sort((a, b) => a.logIndex - b.logIndex),
        settledFor: this.#namedAs(account),
        throughPools: { sell: sold.sell, buy: bought.buy },
        isPartial: false,
      },
    ]
  }

  /** The ends of a route. */
  endsOf(trade: PoolTrade): TradeEnds {
    const account = this.#accountFor(trade)
    const sell = this.#sold(trade, account)
    const buy = this.#bought(trade, account)
    const ends: TradeEnds = {
      sell,
      buy,
      hops: trade.hops,
      settledFor: this.#namedAs(account),
      isPartial: account !== null && this.#disagrees(trade, account),
    }
    if (trade.routes !== undefined) ends.routes = trade.routes
    if (!isSame(sell, trade.sell) || !isSame(buy, trade.buy)) ends.throughPools = { sell: trade.sell, buy: trade.buy }
    return ends
  }

  #namedAs(account: Address | null): Address | null {
    return account !== null && this.#facts.behind.includes(account) ? account : null
  }

  /**
   * Whose a trade is: the one account named that holds its ends, else the signer where it does; else the only account
   * that is named; else, with none named, the signer. Null where that leaves several.
   */
  #accountFor(trade: PoolTrade | null): Address | null {
    const { transaction, behind } = this.#facts
    if (behind.length === 0) return transaction.from
    const holders = behind.filter((account) => this.#holds(account, trade))
    if (holders.length === 1) return holders[0] ?? null
    if (holders.length > 1) return null
    if (transaction.from !== null && this.#holds(transaction.from, trade)) return transaction.from
    return behind.length === 1 ? (behind[0] ?? null) : null
  }

  /** Whether an account gave what a trade sells and got what it buys; of no trade in particular, whether it did at all. */
  #holds(account: Address, trade: PoolTrade | null): boolean {
    if (trade === null) return this.#netsOf(account).tokens.size > 0
    const { gave, got } = this.#partIn(trade, account)
    return gave && got && !(trade.sell.native && trade.buy.native)
  }

  /** Whether an account gave what a trade sells, and got what it buys. Coins leave no trace: they are taken for its own. */
  #partIn({ sell, buy }: PoolTrade, account: Address): { gave: boolean; got: boolean } {
    const { tokens } = this.#netsOf(account)
    return {
      gave: sell.native || (tokens.get(sell.token) ?? 0n) < 0n,
      got: buy.native || (tokens.get(buy.token) ?? 0n) > 0n,
    }
  }

  #netsOf(account: Address): AccountNets {
    const known = this.#nets.get(account)
    if (known !== undefined) return known
    const nets = netsOf(account, this.#facts.flows, this.#facts.wrappedNative)
    this.#nets.set(account, nets)
    return nets
  }

  #sold({ sell }: PoolTrade, account: Address | null): Leg {
    const exchanged = this.#exchange?.sell
    const native = exchanged?.token === sell.token ? exchanged.native : sell.native
    if (native || account === null) return native === sell.native ? sell : { ...sell, native }
    const net = this.#netsOf(account).tokens.get(sell.token) ?? 0n
    // Of the wrapped coin the rest may have come as coins.
    const isMixed = sell.token === this.#facts.wrappedNative && this.#sentCoins(account) > 0n
    const amount =
      net < 0n && !isMixed && this.#isOnlyEnd(sell.token) && this.#netsAreEnds(account) ? -net : sell.amount
    return { token: sell.token, amount, native }
  }

  #bought(trade: PoolTrade, account: Address | null): Leg {
    const { buy } = trade
    const native = this.#isBoughtNative(trade, account)
    if (native || !this.#isOnlyEnd(buy.token)) return native === buy.native ? buy : { ...buy, native }
    const net = account === null ? 0n : (this.#netsOf(account).tokens.get(buy.token) ?? 0n)
    if (net === 0n) return { token: buy.token, amount: this.#gotElsewhere(buy) ?? buy.amount, native }
    const amount = net > 0n && account !== null && this.#netsAreEnds(account) ? net : buy.amount
    return { token: buy.token, amount, native }
  }

  /** Coins that a pool or a contract paid of its own leave no trace but that nobody got the wrapped ones. */
  #isBoughtNative({ buy, hops }: PoolTrade, account: Address | null): boolean {
    const { wrappedNative, flows } = this.#facts
    if (buy.token !== wrappedNative) return false
    const exchanged = this.#exchange?.buy
    if (exchanged?.token === wrappedNative) return exchanged.native
    if (account !== null && (this.#netsOf(account).tokens.get(wrappedNative) ?? 0n) > 0n) return false
    if (buy.native) return true
    const last = hops.filter(({ tokenOut }) => tokenOut === wrappedNative)
    return !flows.transfers.some(
      ({ token, from, amount }) =>
        token === wrappedNative && last.some(({ pool, amountOut }) => keeperOf(pool) === from || amountOut === amount),
    )
  }

  #isOnlyEnd(token: Address): boolean {
    return this.#ends.get(token) === 1
  }

  /** Whether everything that an account gave or got is an end of a trade. */
  #netsAreEnds(account: Address): boolean {
    const { tokens, isUnclear } = this.#netsOf(account)
    if (isUnclear) return false
    for (const token of tokens.keys()) if (!this.#ends.has(token)) return false
    return true
  }

  /** What the only other account that got some of a token got of it; a small part of what the pools paid is a fee. */
  #gotElsewhere({ token, amount }: Leg): bigint | null {
    const [gain, ...others] = this.#gainersOf(token)
    if (gain === undefined || others.length > 0 || gain[1] > MAX_UINT256) return null
    return gain[1] * LEAST_GAIN_BOTTOM >= amount * LEAST_GAIN_TOP ? gain[1] : null
  }

  /** Accounts that got some of a token: no venues, not the token's own contract, and nobody who burns it. */
  #gainersOf(token: Address): [Address, bigint][] {
    const known = this.#gainers.get(token)
    if (known !== undefined) return known
    const { flows, wrappedNative, venues } = this.#facts
    const gainers = [...holdersOf(token, flows, wrappedNative)].filter(
      ([holder, net]) => net > 0n && !venues.has(holder) && holder !== token && !BURN_ADDRESSES.includes(holder),
    )
    this.#gainers.set(token, gainers)
    return gainers
  }

  /** What an account gave and got as a whole; null where that is not one token for another. */
  #exchangeOf(account: Address): Exchange | null {
    const { flows, wrappedNative, venues } = this.#facts
    const { tokens, isUnclear } = this.#netsOf(account)
    if (isUnclear || flows.changesLiquidity) return null
    const gave: [Address, bigint][] = []
    const got: [Address, bigint][] = []
    for (const one of tokens) (one[1] < 0n ? gave : got).push(one)
    const coins = this.#sentCoins(account)
    if (gave.length + (coins > 0n ? 1 : 0) !== 1 || got.length > 1) return null
    const [given] = gave
    const sell = given
      ? { token: given[0], native: false, amount: -given[1] }
      : { token: wrappedNative, native: true, amount: coins }
    const [gotten] = got
    if (gotten) {
      // A token that came before the coins were paid out was not bought with them: two were got.
      if (given && this.#cameBeforeCoins(gotten[0], account)) return null
      return { sell, buy: { token: gotten[0], native: false, amount: gotten[1] } }
    }
    if (!given) return null
    const paidOut = flows.withdrawals.reduce(
      (sum, { account: by, amount }) => (venues.has(by) ? sum : sum + amount),
      0n,
    )
    // Somebody else got what was bought.
    const others = this.#trades.some(({ buy }) => buy.token !== wrappedNative && this.#gainersOf(buy.token).length > 0)
    if (others) return null
    if (paidOut > 0n && paidOut <= MAX_UINT256)
      return { sell, buy: { token: wrappedNative, native: true, amount: paidOut } }
    return this.#isPaidOfStock(given[0]) ? { sell, buy: { token: wrappedNative, native: true, amount: null } } : null
  }

  /** The coins that an account sent along and that no withdrawal brought back. */
  #sentCoins(account: Address): bigint {
    const { transaction, flows } = this.#facts
    if (account !== transaction.from) return 0n
    const unwrapped = flows.withdrawals.reduce((sum, { amount }) => sum + amount, 0n)
    return transaction.value > unwrapped ? transaction.value - unwrapped : 0n
  }

  /** Whether coins that a route bought were unwrapped after an account had got all of a token. */
  #cameBeforeCoins(wanted: Address, account: Address): boolean {
    const { flows, venues } = this.#facts
    if (!this.#trades.some(({ buy }) => buy.native)) return false
    const arrived = flows.transfers.findLast(({ token, to }) => token === wanted && to === account)?.logIndex ?? -1
    return flows.withdrawals.some(({ account: by, logIndex }) => !venues.has(by) && logIndex > arrived)
  }

  /** The wrapped coins that the pools paid are kept by the one contract that handed the sold token on. */
  #isPaidOfStock(sold: Address): boolean {
    const { flows, wrappedNative } = this.#facts
    const keepers = this.#gainersOf(wrappedNative)
    const [keeper] = keepers
    if (keeper === undefined || keepers.length > 1) return false
    return flows.transfers.some(({ token, from }) => token === sold && from === keeper[0])
  }

  /** Whether the account gave or got a token in the place of one of the trade's, as far as the receipt tells. */
  #disagrees(trade: PoolTrade, account: Address): boolean {
    const { gave, got } = this.#partIn(trade, account)
    if (gave && got) return false
    const { tokens } = this.#netsOf(account)
    const others = [...tokens].filter(([token]) => !this.#ends.has(token)).map(([, net]) => net)
    return (!gave && others.some((net) => net < 0n)) || (!got && others.some((net) => net > 0n))
  }
}

export function isSame(a: Leg, b: Leg): boolean {
  return a.token === b.token && a.amount === b.amount && a.native === b.native
}
