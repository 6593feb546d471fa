import { MAX_UINT256 } from '../../abi/words.ts'
import type { Address, Transaction } from '../../chain.ts'
import { absolute } from '../../maths/integers.ts'
import { present } from '../../present.ts'
import { Counts, Groups, Totals } from '../../totals.ts'
import { differByFifth, FEE_DIVISOR } from '../routes.ts'
import { END_SIDES, type EndSide, type Leg, type PoolRoute, type PoolTrade } from '../trade.ts'
import {
  coinEnd,
  DUST_COINS,
  type Exchange,
  exchangeOf,
  loggedFlows,
  mayPayOwnCoins,
  paidNoWrapper,
  unwrappedOnce,
  type WrappedTransfers,
  wrappedTransfers,
} from './coin-ends.ts'
import { type EndEvidence, endEvidence, wrappedFor } from './end-evidence.ts'
import { joinRoutes } from './join-routes.ts'
import { Gainers, type Ledger } from './ledger.ts'
import type { NamedAccount, ReportedOrder } from './settlements.ts'
import { TradeAccounts } from './trade-accounts.ts'

/** What the trader gave and received, as far as the receipt shows it. `Trade` describes the fields. */
export interface TradeEnds extends PoolTrade {
  settledFor: Address | null
  throughPools?: { sell: Leg; buy: Leg }
  isPartial: boolean
  endsToCompare?: readonly EndSide[]
  accountEnds?: readonly EndSide[]
}

export interface EndFacts {
  transaction: Transaction
  /** The account in whose user operations all hops lie. */
  operator?: Address
  /** Without income. */
  ledger: Ledger
  withIncome: Ledger
  /** Distinct accounts for which a contract trades. */
  principals: readonly Address[]
  /** The tokens that events name for these accounts. */
  named: readonly NamedAccount[]
  orders: readonly ReportedOrder[]
  listed: ReadonlySet<Address>
  venues: ReadonlySet<Address>
}

/**
 * Returns the ends of trades, from what went through the pools and what accounts gave and received
 * (docs/internals/trades.md, 7 to 19). `trades` contains no sales that tokens made for themselves.
 */
export function tradeEnds(trades: readonly PoolTrade[], facts: EndFacts): TradeEnds[] {
  const joined = joinRoutes(trades, facts)
  const reader = new EndReader(joined, facts)
  return reader.oneForAll() ?? joined.map((trade) => reader.endsOf(trade))
}

class EndReader {
  readonly #trades: readonly PoolTrade[]
  readonly #facts: EndFacts
  readonly #ledger: Ledger
  readonly #gainers: Gainers
  readonly #accounts: TradeAccounts
  readonly #ends = new Counts<Address>()
  readonly #others = new Map<Address, { gave: boolean; got: boolean }>()
  /** The account exchanged a token for which only the token's own events are evidence. */
  #isForged = false
  readonly #wrappers = new Map<string, Groups<Address, Leg>>()
  readonly #moved = new Map<string, ReadonlySet<Address>>()
  #wrapped: WrappedTransfers | null = null
  #exchange: Exchange | null = null

  constructor(trades: readonly PoolTrade[], facts: EndFacts) {
    this.#trades = trades
    this.#facts = facts
    this.#ledger = facts.ledger
    this.#gainers = new Gainers(facts.ledger, facts.venues)
    this.#accounts = new TradeAccounts(trades, facts)
    for (const { sell, buy } of trades) {
      this.#ends.add(sell.token)
      if (buy.token !== sell.token) this.#ends.add(buy.token)
    }
  }

  oneForAll(): TradeEnds[] | null {
    const { principals } = this.#facts
    if (principals.length > 1) return null
    const account = this.#accounts.accountFor(null)
    const exchange = account === null ? null : this.#exchangeOf(account)
    if (account === null || exchange === null) return null
    const { sell, buy } = exchange
    const first = this.#trades[0]
    const last = this.#trades.at(-1)
    if (first === undefined || last === undefined) return null
    const sold = this.#trades.find((trade) => trade.sell.token === sell.token) ?? first
    const bought = this.#trades.findLast((trade) => trade.buy.token === buy.token) ?? last
    const throughPools = {
      sell: legOf(this.#trades, 'sell', sell.token) ?? sold.sell,
      buy: legOf(this.#trades, 'buy', buy.token) ?? bought.buy,
    }
    const moved = this.#accounts.endsMovedBy(account, throughPools)
    if (moved.length > 0) this.#exchange = exchange
    if (this.#trades.some((trade) => trade.sell.token === sell.token && trade.buy.token === buy.token)) return null
    const proof = this.#proofOf(exchange, throughPools, sold === bought)
    if (proof === null) {
      this.#isForged = true
      return null
    }
    const { isReported, wrapped, ...shown } = proof
    if (moved.length + wrapped.length === 0 && !isReported) return null
    const hops = this.#trades.flatMap((trade) => trade.hops).sort((a, b) => a.logIndex - b.logIndex)
    const settledFor = this.#accounts.namedAs(account)
    const routes = this.#routesOf(exchange)
    const ends: TradeEnds = { sell, buy, hops, settledFor, throughPools, ...shown, ...(routes && { routes }) }
    return [this.#withAccountEnds(ends, new Set([...moved, ...wrapped]))]
  }

  /**
   * Sets `accountEnds`, unless both ends show the named account, or it gave one end and got no token: then it was paid
   * elsewhere, or in coins.
   */
  #withAccountEnds(ends: TradeEnds, shown: ReadonlySet<EndSide>): TradeEnds {
    const { settledFor, throughPools = ends } = ends
    if (settledFor === null || shown.size === END_SIDES.length) return ends
    if (shown.has('sell') && this.#accounts.hasOnlyGiven(settledFor)) return ends
    const isOfAccount = (side: EndSide) => shown.has(side) || ends[side].token !== throughPools[side].token
    return { ...ends, accountEnds: END_SIDES.filter(isOfAccount) }
  }

  /**
   * Returns all routes if several end in one of the row's tokens; undefined if the row's legs determine its value. Of
   * the routes that sell the sold token and those that buy the bought one, only the group that moved more counts.
   */
  #routesOf({ sell, buy }: Exchange): readonly PoolRoute[] | undefined {
    const sells = this.#trades.filter((trade) => trade.sell.token === sell.token)
    const buys = this.#trades.filter((trade) => trade.buy.token === buy.token)
    if (sells.length < 2 && buys.length < 2) return this.#trades.length === 1 ? this.#trades[0]?.routes : undefined
    const areBuysLarger = sumOf(buys, 'buy') * sell.amount >= sumOf(sells, 'sell') * buy.amount
    const counting = new Set(areBuysLarger ? buys : sells)
    return this.#trades.flatMap((trade) => {
      const routes: readonly PoolRoute[] = trade.routes ?? [trade]
      return counting.has(trade) ? routes : routes.map((route) => ({ ...route, isPassedOn: true }) as const)
    })
  }

  /**
   * Returns which evidence of the ends is weak, or null if only its token's own events show an end. If the legs come
   * from two routes, neither amount shows what all hops moved.
   */
  #proofOf(
    exchange: Exchange,
    pools: { sell: Leg; buy: Leg },
    isOneRoute: boolean,
  ): (Pick<TradeEnds, 'isPartial' | 'endsToCompare'> & { isReported: boolean; wrapped: EndSide[] }) | null {
    const { named, listed } = this.#facts
    const { flows, wrappedNative } = this.#ledger
    const facts = { transfers: flows.transfers, named, listed, wrappedNative }
    const sold = endEvidence('sell', exchange.sell, pools.sell, facts)
    const bought = endEvidence('buy', exchange.buy, pools.buy, facts)
    if (sold === null || bought === null) return null
    const evidence: Record<EndSide, EndEvidence> = { sell: sold, buy: bought }
    // If events name both tokens, no end can be compared with the pools.
    const isPartial = sold === 'reported' && bought === 'reported'
    const isReported = sold === 'reported' || bought === 'reported'
    const wrapped = END_SIDES.filter((side) => evidence[side] === 'wrapped')
    const endsToCompare = END_SIDES.filter((side) => {
      return evidence[side] === 'listed' || (evidence[side] === 'pools' && !isOneRoute)
    })
    return { isReported, wrapped, isPartial, ...(endsToCompare.length > 0 && { endsToCompare }) }
  }

  endsOf(trade: PoolTrade): TradeEnds {
    const account = this.#accounts.accountFor(trade)
    const wrapped = this.#wrapperOf('sell', trade, account)
    const supplied = this.#wrapperOf('buy', trade, account)
    const sell = wrapped ?? this.#sold(trade, account, supplied)
    const buy = supplied ?? this.#bought(trade, account, sell)
    const ends: TradeEnds = {
      sell,
      buy,
      hops: trade.hops,
      settledFor: this.#accounts.namedAs(account),
      isPartial: this.#isForged || (account !== null && this.#disagrees({ sell, buy }, account)),
    }
    if (trade.routes !== undefined) ends.routes = trade.routes
    if (!isSame(sell, trade.sell) || !isSame(buy, trade.buy)) ends.throughPools = { sell: trade.sell, buy: trade.buy }
    if (ends.settledFor === null) return ends
    const shown = new Set<EndSide>(this.#accounts.endsMovedBy(ends.settledFor, trade))
    if (wrapped !== null) shown.add('sell')
    if (supplied !== null) shown.add('buy')
    return this.#withAccountEnds(ends, shown)
  }

  #wrapperOf(side: EndSide, trade: PoolTrade, account: Address | null): Leg | null {
    const { token, amount } = trade[side]
    if (account === null || this.#ledger.flows.changesLiquidity || !this.#isOnlyEnd(token)) return null
    const { gave, got } = this.#accounts.partIn(trade, account)
    if (side === 'sell' ? gave : got) return null
    const key = `${side} ${account}`
    const byWrapped = this.#wrappers.get(key) ?? this.#wrappersOf(side, account)
    this.#wrappers.set(key, byWrapped)
    return onlyOf(byWrapped.of(token).filter((wrapper) => !differByFifth(wrapper.amount, amount)))
  }

  #wrappersOf(side: EndSide, account: Address): Groups<Address, Leg> {
    const { tokens, isUnclear } = this.#ledger.of(account)
    const byWrapped = new Groups<Address, Leg>()
    if (isUnclear) return byWrapped
    const sign = SIGNS[side]
    const others = new Totals([...tokens].filter(([token, net]) => sign * net > 0n && !this.#ends.has(token)))
    for (const [token, wrapped] of wrappedFor(side, others, this.#ledger.flows.transfers)) {
      for (const other of wrapped) byWrapped.add(other, { token, amount: sign * others.of(token), native: false })
    }
    return byWrapped
  }

  #sold(trade: PoolTrade, account: Address | null, supplied: Leg | null): Leg {
    const { sell } = trade
    if (this.#isLogged(sell)) return this.#coinLeg('sell', trade, account)
    const exchanged = this.#exchange?.sell
    const native = exchanged?.token === sell.token ? exchanged.native : sell.native
    if (native) return { ...sell, amount: this.#coinsSold(trade, account) ?? sell.amount, native }
    if (account === null) return { ...sell, native }
    const net = this.#ledger.of(account).tokens.of(sell.token)
    // Coins may have paid for the rest.
    const isMixed = sell.token === this.#ledger.wrappedNative && this.#sentCoins(account) > 0n
    const isKnown =
      net < 0n && !isMixed && this.#isOnlyEnd(sell.token) && this.#isNetOfTrade('sell', sell, net, account)
    const bought = supplied ?? { ...trade.buy, native: this.#isBoughtNative(trade, account) }
    const isFee = isKnown && this.#isSlice('sell', -net, { sell, buy: bought }, account)
    const amount = isKnown && !isFee ? -net : sell.amount
    // Withdrawn liquidity may have paid for a part.
    const isLess = this.#ledger.flows.withdrawsLiquidity && amount < sell.amount
    return { token: sell.token, amount: isLess ? sell.amount : amount, native }
  }

  /**
   * If the transaction withdrew liquidity, an account may have received more than it bought, so the pools' amount is
   * the maximum.
   */
  #bought(trade: PoolTrade, account: Address | null, sold: Leg): Leg {
    const leg = this.#received(trade, account, sold)
    const isMore = this.#ledger.flows.withdrawsLiquidity && leg.amount > trade.buy.amount
    return isMore ? { ...leg, amount: trade.buy.amount } : leg
  }

  #received(trade: PoolTrade, account: Address | null, sold: Leg): Leg {
    const { buy } = trade
    if (this.#isLogged(buy)) return this.#coinLeg('buy', trade, account)
    const native = this.#isBoughtNative(trade, account)
    if (native || !this.#isOnlyEnd(buy.token)) {
      const paid = native && account !== null ? this.#coinsBought(trade, account) : null
      return { ...buy, amount: paid ?? buy.amount, native }
    }
    const net = account === null ? 0n : this.#ledger.of(account).tokens.of(buy.token)
    if (net === 0n || (net > 0n && account !== null && this.#isSlice('buy', net, { sell: sold, buy }, account))) {
      return { token: buy.token, amount: this.#gotElsewhere(buy, account) ?? this.#lessTip(buy, net), native }
    }
    const amount = net > 0n && account !== null && this.#isNetOfTrade('buy', buy, net, account) ? net : buy.amount
    return { token: buy.token, amount, native }
  }

  #isLogged({ token }: Leg): boolean {
    return this.#ledger.flows.coins !== undefined && token === this.#ledger.wrappedNative
  }

  #coinLeg(side: EndSide, trade: PoolTrade, account: Address | null): Leg {
    const leg = trade[side]
    const { token } = leg
    const isOnly = this.#isOnlyEnd(token)
    const nets = account === null ? null : this.#ledger.of(account)
    const [coins, wrapped] = nets === null ? [0n, 0n] : [present(nets.coins), nets.tokens.of(token)]
    const ownEnd = coinEnd(SIGNS[side] * coins, SIGNS[side] * wrapped, leg.amount)
    if (
      ownEnd !== null &&
      account !== null &&
      (this.#exchange?.[side].token === token || isAtLeastFourFifths(ownEnd.amount, leg.amount))
    ) {
      return { token, native: ownEnd.native, amount: isOnly && this.#netsAreEnds(account) ? ownEnd.amount : leg.amount }
    }
    if (side === 'sell') return leg
    const native = this.#isBoughtNative(trade, account)
    if (isOnly && wrapped > 0n && coins === 0n && account !== null && this.#isSlice('buy', wrapped, trade, account)) {
      return { ...leg, amount: this.#gotElsewhere(leg, account) ?? this.#lessTip(leg, wrapped), native }
    }
    if (!isOnly || wrapped !== 0n) return { ...leg, native }
    if (!native) return { ...leg, amount: this.#gotElsewhere(leg, account) ?? leg.amount, native }
    const other = onlyOf(this.#gainers.ofCoins())
    const end = other === null ? null : coinEnd(other.coins, other.wrapped, leg.amount)
    return end !== null && isAtLeastFourFifths(end.amount, leg.amount) ? { token, ...end } : { ...leg, native }
  }

  /** Returns whether the coin was bought, without using logged coins. */
  #isBoughtNative({ buy, hops }: PoolTrade, account: Address | null): boolean {
    const { wrappedNative } = this.#ledger
    if (buy.token !== wrappedNative) return false
    const exchanged = this.#exchange?.buy
    if (exchanged?.token === wrappedNative) return exchanged.native
    if (account !== null && this.#ledger.of(account).tokens.of(wrappedNative) > 0n) return false
    if (buy.native || !mayPayOwnCoins(hops, wrappedNative)) return buy.native
    this.#wrapped ??= wrappedTransfers(this.#ledger.flows, wrappedNative)
    return paidNoWrapper(hops, this.#wrapped, wrappedNative)
  }

  /** Returns the amount of coins sold, or null unless events or `value` show it. */
  #coinsSold({ sell, buy }: PoolTrade, account: Address | null): bigint | null {
    const { from, value } = this.#facts.transaction
    if (account === null) return null
    const isOnly = this.#isOnlyEnd(sell.token)
    const orders = this.#ordersOf(account, (order) => order.sell.native && order.buy.token === buy.token)
    const reported = reportedAmount(orders, 'sell', sell.amount, isOnly)
    // Another router may have kept a fee before it called the settlement.
    const isDirect = account !== from || orders.every(({ payer = account }) => payer === from)
    if (reported !== null && (isDirect || !isFeeOf(value, reported))) return reported
    return isOnly && account === from && isFeeOf(value, reported ?? sell.amount) ? value : null
  }

  /** Returns the amount of coins bought, or null unless events or a withdrawal show it. */
  #coinsBought(trade: PoolTrade, account: Address): bigint | null {
    const { sell, buy } = trade
    const orders = this.#ordersOf(account, (order) => order.buy.native && order.sell.token === sell.token)
    const reported = reportedAmount(orders, 'buy', buy.amount, this.#isOnlyEnd(buy.token))
    return reported ?? this.#unwrappedFor(trade, account)
  }

  #ordersOf(account: Address, isOfTrade: (order: ReportedOrder) => boolean): ReportedOrder[] {
    const isOf = ({ owner, payer }: ReportedOrder) => owner === account || payer === account
    return this.#facts.orders.filter((order) => isOf(order) && isOfTrade(order))
  }

  /**
   * Returns the amount of the transaction's only withdrawal, or null if it is not certain that the account received it.
   */
  #unwrappedFor({ buy, sell, hops }: PoolTrade, account: Address): bigint | null {
    const { venues, transaction, principals } = this.#facts
    const { wrappedNative } = this.#ledger
    const { tokens } = this.#ledger.of(account)
    if (transaction.value >= DUST_COINS || principals.length > 1 || tokens.has(wrappedNative)) return null
    if (!this.#isOnlyEnd(buy.token) || tokens.of(sell.token) >= 0n || !this.#netsAreEnds(account)) return null
    const paid = unwrappedOnce(hops, this.#ledger, venues)
    return paid !== null && isAtLeastFourFifths(paid, buy.amount) ? paid : null
  }

  #isOnlyEnd(token: Address): boolean {
    return this.#ends.of(token) === 1
  }

  #netsAreEnds(account: Address): boolean {
    const { gave, got } = this.#othersOf(account)
    return !gave && !got && !this.#ledger.of(account).isUnclear
  }

  /**
   * Returns whether the net is what the account traded: it has no other nets, or it moved the token only in this
   * direction, in an amount near the pools', and paid for nothing bought with another token. What it got beside may be
   * a dividend.
   */
  #isNetOfTrade(side: EndSide, { token, amount }: Leg, net: bigint, account: Address): boolean {
    if (this.#netsAreEnds(account)) return true
    if (this.#ledger.of(account).isUnclear || differByFifth(absolute(net), amount)) return false
    if (side === 'buy' && this.#othersOf(account).gave) return false
    return !this.#movedTokens(side === 'sell' ? 'to' : 'from', account).has(token)
  }

  #movedTokens(direction: 'from' | 'to', account: Address): ReadonlySet<Address> {
    const key = `${direction} ${account}`
    const cached = this.#moved.get(key)
    if (cached !== undefined) return cached
    const tokens = new Set<Address>()
    for (const transfer of this.#ledger.flows.transfers) if (transfer[direction] === account) tokens.add(transfer.token)
    this.#moved.set(key, tokens)
    return tokens
  }

  #othersOf(account: Address): { gave: boolean; got: boolean } {
    const cached = this.#others.get(account)
    if (cached !== undefined) return cached
    const others = { gave: false, got: false }
    for (const [token, net] of this.#ledger.of(account).tokens) {
      if (!this.#ends.has(token)) others[net < 0n ? 'gave' : 'got'] = true
    }
    this.#others.set(account, others)
    return others
  }

  /**
   * Returns whether an amount is a fee: a small part of an end that went through an account with no part in the other
   * end.
   */
  #isSlice(side: EndSide, amount: bigint, trade: Exchange, account: Address): boolean {
    if (isAtLeastFourFifths(amount, trade[side].amount)) return false
    const { gave, got } = this.#accounts.partIn(trade, account)
    return side === 'sell' ? !got : !gave
  }

  /** Returns what the only other receiver got. A small missing part is a fee; null if more is missing. */
  #gotElsewhere({ token, amount }: Leg, account: Address | null): bigint | null {
    const [, gain = null] = onlyOf(this.#gainers.of(token).filter(([holder]) => holder !== account)) ?? []
    return gain !== null && gain <= MAX_UINT256 && isAtLeastFourFifths(gain, amount) ? gain : null
  }

  /** Returns the pools' amount, minus the account's tip if nobody else gave the token: the pools then paid the tip. */
  #lessTip({ token, amount }: Leg, tip: bigint): bigint {
    return tip === 0n || this.#gainers.isGiven(token) ? amount : amount - tip
  }

  #exchangeOf(account: Address): Exchange | null {
    const { flows, wrappedNative } = this.#ledger
    const { tokens, isUnclear, coins } = this.#ledger.of(account)
    if (isUnclear || flows.changesLiquidity) return null
    if (coins !== undefined) return exchangeOf(loggedFlows(tokens, coins, wrappedNative))
    const seen = [...tokens].map(([token, net]) => [token, net, false] as const)
    const sent = this.#sentCoins(account)
    const received = seen.find(([, net]) => net > 0n)
    if (sent > 0n) return exchangeOf([...seen, [wrappedNative, -sent, true]])
    // A token that arrived before the coins was not bought with them: the account received two things.
    if (received !== undefined) return this.#cameBeforeCoins(received[0], account) ? null : exchangeOf(seen)
    // Another account received what was bought.
    const isElsewhere = ({ buy }: PoolTrade) => buy.token !== wrappedNative && this.#gainers.of(buy.token).length > 0
    if (this.#trades.some(isElsewhere)) return null
    const paidOut = flows.withdrawals.reduce(
      (sum, wrapping) => (this.#facts.venues.has(wrapping.account) ? sum : sum + wrapping.amount),
      0n,
    )
    return exchangeOf([...seen, [wrappedNative, paidOut, true]])
  }

  #sentCoins(account: Address): bigint {
    const { transaction } = this.#facts
    if (account !== transaction.from) return 0n
    const { value } = transaction
    const { unwrapped } = this.#ledger
    if (value > unwrapped) return value - unwrapped
    // An account that gave no token paid with coins, even if others unwrapped as many on the way.
    const nets = [...this.#ledger.of(account).tokens.values()]
    const gaveNoToken = nets.length > 0 && nets.every((net) => net > 0n)
    return gaveNoToken && value >= DUST_COINS ? value : 0n
  }

  #cameBeforeCoins(received: Address, account: Address): boolean {
    const { flows } = this.#ledger
    if (!this.#trades.some(({ buy }) => buy.native)) return false
    const arrived = flows.transfers.findLast(({ token, to }) => token === received && to === account)?.logIndex ?? -1
    return flows.withdrawals.some(({ account: by, logIndex }) => !this.#facts.venues.has(by) && logIndex > arrived)
  }

  #isAgainst(side: EndSide, trade: Exchange, account: Address): boolean {
    const { token } = trade[side]
    if (!this.#isOnlyEnd(token)) return false
    return SIGNS[side] * this.#ledger.of(account).tokens.of(token) < 0n
  }

  #disagrees(trade: Exchange, account: Address): boolean {
    const { gave, got } = this.#accounts.partIn(trade, account)
    if (gave && got) return false
    const others = this.#othersOf(account)
    return (
      (!gave && (others.gave || this.#isAgainst('sell', trade, account))) ||
      (!got && (others.got || this.#isAgainst('buy', trade, account)))
    )
  }
}

/** Sums the legs of the trades that end in a token. Returns null if there are none, or the sum exceeds a uint256. */
function legOf(trades: readonly PoolTrade[], side: EndSide, token: Address): Leg | null {
  const ofToken = trades.filter((trade) => trade[side].token === token)
  const [first] = ofToken
  const amount = sumOf(ofToken, side)
  return first === undefined || amount > MAX_UINT256 ? null : { ...first[side], amount }
}

function sumOf(trades: readonly PoolTrade[], side: EndSide): bigint {
  return trades.reduce((sum, { [side]: { amount } }) => sum + amount, 0n)
}

/**
 * Returns the total of the orders' amounts. Returns null if there are no orders, an amount is not known, or the total is
 * far from the pools' amount although several orders may be the same one, or belong to other trades.
 */
function reportedAmount(
  orders: readonly ReportedOrder[],
  side: EndSide,
  pools: bigint,
  isOnlyEnd: boolean,
): bigint | null {
  let sum = 0n
  for (const { [side]: leg } of orders) {
    if (leg.amount === null) return null
    sum += leg.amount
  }
  if (sum === 0n || sum > MAX_UINT256) return null
  const isSure = isOnlyEnd && orders.length === 1
  return isSure || !differByFifth(sum, pools) ? sum : null
}

export function isSame(a: Leg, b: Leg): boolean {
  return a.token === b.token && a.amount === b.amount && a.native === b.native
}

const SIGNS: Readonly<Record<EndSide, bigint>> = { sell: -1n, buy: 1n }

function onlyOf<Item>(items: readonly Item[]): Item | null {
  return items.length === 1 ? (items[0] ?? null) : null
}

/** Fees are whole multiples of this fraction (1/100,000). */
const FEE_PARTS = 100_000n
const GWEI = 10n ** 9n
/** Below this value, almost any amount is a whole multiple. */
const MIN_CHECKED_COINS = 1_000n * GWEI

/**
 * Returns whether the coins that did not reach the pools are a router's fee. No event distinguishes a fee from a
 * refund, but a fee is, to the wei, a whole multiple of 1/100,000 of what was sent or, if a round amount was sent, of
 * what the pools took.
 */
function isFeeOf(value: bigint, used: bigint): boolean {
  const fee = value - used
  if (fee <= 0n || fee * FEE_DIVISOR > value || value < MIN_CHECKED_COINS) return false
  return isWholePart(fee, value) || (value % GWEI === 0n && isWholePart(fee, used))
}

function isWholePart(fee: bigint, whole: bigint): boolean {
  const parts = (fee * FEE_PARTS + whole / 2n) / whole
  const off = fee * FEE_PARTS - parts * whole
  return parts > 0n && off < FEE_PARTS && -off < FEE_PARTS
}

function isAtLeastFourFifths(part: bigint, whole: bigint): boolean {
  return part * 5n >= whole * 4n
}
