import { type Address, type Transaction, ZERO_ADDRESS } from '../../chain.ts'
import { present } from '../../present.ts'
import { keeperOf } from '../../venues/managed-pool.ts'
import { DUST_COINS, exchangeOf, type Flow, loggedFlows } from '../receipt/coin-ends.ts'
import { type EndEvidence, type EvidenceFacts, endEvidence, isReportedEnd } from '../receipt/end-evidence.ts'
import type { AccountNets, Ledger } from '../receipt/ledger.ts'
import type { ReceiptFlows, Wrapping } from '../receipt/receipt-flows.ts'
import { isReported, type NamedAccount, type ReportedOrder } from '../receipt/settlements.ts'
import { isHalfOf } from '../receipt/trade-accounts.ts'
import { isSame, type TradeEnds } from '../receipt/trade-ends.ts'
import { collapseHops, differByFifth } from '../routes.ts'
import { END_SIDES, type EndSide, type Hop, type Leg, type PlacedOrder } from '../trade.ts'
import { type SharedHops, shareHops } from './share-hops.ts'

/**
 * Limit on orders times hops, since every order may have a share of every hop. Beyond it, accounts get no separate
 * trades.
 */
const MAX_SHARED_HOPS = 20_000
/** Limit on how often hops are shared, since each of hundreds of orders may leave more of them to the others. */
const MAX_ROUNDS = 10

interface AccountFacts {
  transaction: Transaction
  ledger: Ledger
  /** Distinct, in event order. */
  named: readonly NamedAccount[]
  reported: readonly ReportedOrder[]
  listed: ReadonlySet<Address>
}

interface OrderTrade {
  ends: TradeEnds
  order: PlacedOrder
}

export interface AccountTrades {
  /** In the order of the orders. */
  trades: OrderTrade[]
  rest: readonly Hop[]
  others: readonly NamedAccount[]
}

interface AccountOrder {
  sell: Leg
  buy: Leg
  owner: Address
  /** Null if the owner is a contract that sells coins for users whom no event names. */
  account: Address | null
  /** Null if the order's event states both tokens and amounts. */
  named: NamedAccount | null
  /** A withdrawal shows what was bought: coins, of which a fee may have gone elsewhere without a log. */
  isUnwrapped?: true
  /** The account may have been paid in another token. */
  needsHops?: true
  logIndex: number
}

/**
 * Returns one trade for each order of a settlement, with its share of the hops (docs/internals/trades.md, 20 to 23), or
 * null without orders or if they share too many hops. `hops` are in log order, without tokens' own swaps.
 */
export function accountTrades(hops: readonly Hop[], facts: AccountFacts): AccountTrades | null {
  const { named, reported } = facts
  if (named.length < 2 && hops.length > 0 && !reported.some(({ isOfBatch }) => isOfBatch)) return null
  const all = ordersOf(hops, facts)
  if (all.length * hops.length > MAX_SHARED_HOPS) return null
  const isAlone = all.length === 1 && named.every(({ account }) => account === all[0]?.owner)
  const { orders: sharing, parts, rest, unpaid } = shareOwnHops(hops, all, isAlone)
  const places = new Map(sharing.map((order, index) => [order, index]))
  const partsOf = (order: AccountOrder) => parts[places.get(order) ?? -1] ?? []
  const orders = all.filter((order) => !unpaid.has(order) && isShown(order, partsOf(order), facts))
  if (orders.length === 0) return null
  const accounts = new Set(orders.map(({ account }) => account))
  const kept = keptWith(parts, hops)
  const trades = orders.map((order): OrderTrade => {
    const ends = tradeOf(order, partsOf(order), kept[places.get(order) ?? -1] ?? [], facts)
    return { ends, order: placedOrder(order) }
  })
  return {
    trades,
    rest,
    others: named.filter(({ account }) => !accounts.has(account)),
  }
}

/**
 * Returns the trade of an account whose order no hop served, taken from what the account gave and received. Returns null
 * if these amounts show no order, or if only the tokens' own events show one (docs/internals/trades.md, 21).
 */
export function tradeWithoutHops(named: NamedAccount, facts: AccountFacts): OrderTrade | null {
  const order = named.hasOrder ? orderOf(named, facts) : null
  if (order === null || !isShown(order, [], facts)) return null
  return { ends: tradeOf(order, [], [], facts), order: placedOrder(order) }
}

function placedOrder({ owner, logIndex }: AccountOrder): PlacedOrder {
  return { owner, logIndex }
}

function ordersOf(hops: readonly Hop[], facts: AccountFacts): AccountOrder[] {
  const { transaction, named, reported, ledger } = facts
  const accounts = new Set(named.map(({ account }) => account))
  const ofBatches = reported.flatMap((order): AccountOrder[] =>
    order.isOfBatch ? [reportedOrder(order, accounts, reported, ledger.of(order.owner))] : [],
  )
  const owners = new Set(ofBatches.map(({ owner }) => owner))
  const others = named.filter(({ account }) => !owners.has(account))
  const ofNets = others.flatMap((namedAccount) =>
    hops.length > 0 || namedAccount.hasOrder ? (orderOf(namedAccount, facts) ?? []) : [],
  )
  for (const { owner } of ofNets) owners.add(owner)
  const ofRouters = reported.flatMap((order): AccountOrder[] => {
    const isOpen = hops.length === 0 && !owners.has(order.owner) && accounts.has(order.owner)
    const nets = ledger.of(order.owner)
    return isOpen && hasFlows(order, nets, transaction) ? [reportedOrder(order, accounts, reported, nets)] : []
  })
  if (ofBatches.length > 0 || ofRouters.length > 0) return [...ofBatches, ...ofNets, ...ofRouters]
  return [...ofNets, ...coinOrders(ofNets, hops, facts)]
}

/** Returns whether the owner's own flows agree with the event, which may name another router as the caller. */
function hasFlows(
  { owner, sell, buy }: ReportedOrder,
  { tokens, coins, isUnclear }: AccountNets,
  { from, value }: Transaction,
): boolean {
  if (isUnclear || sell.amount === null || buy.amount === null) return false
  const sold = sell.native ? (coins ?? (owner === from ? -value : 0n)) : tokens.of(sell.token)
  if (sold >= 0n) return false
  if (!buy.native) return tokens.of(buy.token) >= 0n
  return coins === undefined || coins >= 0n
}

/** If the account did nothing else, a shortfall can only be a transfer tax, so the received amount counts. */
function reportedOrder(
  { owner, sell, buy, logIndex }: ReportedOrder,
  accounts: ReadonlySet<Address>,
  reported: readonly ReportedOrder[],
  { tokens, isUnclear }: AccountNets,
): AccountOrder {
  const sold = { ...sell, amount: present(sell.amount) }
  const reportedAmount = present(buy.amount)
  const got = tokens.of(buy.token)
  const isAll = !isUnclear && tokens.size === 2 && tokens.of(sell.token) < 0n
  const isOnly = reported.filter((other) => other.owner === owner).length === 1
  const isTaxed = isAll && isOnly && !buy.native && got > 0n && got < reportedAmount
  const account = accounts.has(owner) ? owner : null
  return { owner, account, named: null, logIndex, sell: sold, buy: { ...buy, amount: isTaxed ? got : reportedAmount } }
}

interface OwnHops extends SharedHops {
  /** The orders that share the hops, in the order of the parts. */
  orders: readonly AccountOrder[]
  /** Orders whose coins did not come from their hops. */
  unpaid: ReadonlySet<AccountOrder>
}

/**
 * Shares the hops among orders. Leaves out an order that would get somebody else's hops, and then shares them again,
 * because other orders may get more without it.
 */
function shareOwnHops(hops: readonly Hop[], all: readonly AccountOrder[], isAlone: boolean): OwnHops {
  const unpaid = new Set<AccountOrder>()
  let orders = all
  let shared = shareHops(hops, all, isAlone)
  for (let round = 1; ; round++) {
    const served: AccountOrder[] = []
    for (const [index, order] of orders.entries()) {
      const parts = present(shared.parts[index])
      if (isServed(order, parts)) served.push(order)
      else if (order.isUnwrapped === true && parts.length > 0) unpaid.add(order)
    }
    if (served.length === orders.length) return { ...shared, orders, unpaid }
    orders = round < MAX_ROUNDS ? served : []
    shared = shareHops(hops, orders)
  }
}

function isServed(order: AccountOrder, parts: readonly Hop[]): boolean {
  return order.isUnwrapped === true ? arePaidByHops(order, parts) : !isExceeded(order, parts)
}

/** Returns whether the parts moved more than twice as much as the order, so that they are somebody else's trade. */
function isExceeded(order: AccountOrder, parts: readonly Hop[]): boolean {
  const through = throughOf(order, parts)
  return END_SIDES.some((side) => {
    return order[side].token === through[side].token && !isHalfOf(order[side].amount, through[side].amount)
  })
}

/**
 * Returns whether the hops sold what the account gave for unwrapped coins, at most twice as much, and nothing else.
 * What they paid in the wrapper must be near the coins.
 */
function arePaidByHops({ sell, buy }: AccountOrder, parts: readonly Hop[]): boolean {
  const [swap, ...others] = collapseHops(parts)
  if (swap === undefined || others.length > 0 || swap.sold !== sell.token) return false
  if (!isHalfOf(sell.amount, swap.soldAmount)) return false
  return swap.bought !== buy.token || !differByFifth(buy.amount, swap.boughtAmount)
}

/**
 * Returns whether there is evidence of an order that no event reports: hops, or for both tokens more than their own
 * events, which anyone can forge.
 */
function isShown(order: AccountOrder, parts: readonly Hop[], facts: AccountFacts): boolean {
  const { named, sell, buy } = order
  if (named === null || parts.length > 0) return true
  if (order.needsHops === true) return false
  const isEnd = (side: EndSide, token: Address) =>
    facts.listed.has(token) || isReportedEnd(side, token, evidenceFacts(named, facts))
  if (!named.hasOrder || !isEnd('sell', sell.token) || !isEnd('buy', buy.token)) return false
  // Last, because it compares all accounts that moved these tokens. Anyone can make up tokens that are not listed.
  return (named.isTaker !== true && named.isUnproven !== true) || isMirrored(order, facts.ledger)
}

/**
 * Returns whether makers filled the order: accounts that gave what it bought and got what it sold, together at least
 * 4/5 of both.
 */
function isMirrored({ sell, buy }: AccountOrder, ledger: Ledger): boolean {
  const got = ledger.ofToken(sell.token)
  let taken = 0n
  let paid = 0n
  for (const [account, net] of ledger.ofToken(buy.token)) {
    if (net >= 0n || got.of(account) <= 0n) continue
    taken += got.of(account)
    paid -= net
  }
  return taken * 5n >= sell.amount * 4n && paid * 5n >= buy.amount * 4n
}

function evidenceFacts(named: NamedAccount, { ledger, listed }: AccountFacts): EvidenceFacts {
  const { flows, wrappedNative } = ledger
  return { transfers: flows.transfers, named: [named], listed, wrappedNative }
}

function orderFor(named: NamedAccount): Pick<AccountOrder, 'owner' | 'account' | 'named' | 'logIndex'> {
  const { account, logIndex, isTaker } = named
  return { owner: account, account: isTaker === true ? null : account, named, logIndex }
}

function orderOf(named: NamedAccount, { transaction, ledger }: AccountFacts): AccountOrder | null {
  const { flows, wrappedNative } = ledger
  const { tokens, isUnclear, coins } = ledger.of(named.account)
  if (isUnclear) return null
  const seen = [...tokens].map(([token, net]): Flow => [token, net, false])
  const [wrapped, ...more] = flows.deposits
  // 1inch wraps what the maker gets, and returns the rest.
  const isWrapped = named.isTaker === true && more.length === 0 && flows.withdrawals.length === 0
  if (isWrapped && wrapped !== undefined && wrapped.amount <= transaction.value) {
    seen.push([wrappedNative, -wrapped.amount, true])
  }
  const exchange = exchangeOf(coins === undefined ? seen : loggedFlows(tokens, coins, wrappedNative))
  return exchange && { ...exchange, ...orderFor(named) }
}

/**
 * Returns the orders of accounts that gave one token and were paid in coins that somebody unwrapped
 * (docs/internals/trades.md, 21), or none if it is not certain which withdrawal paid whom.
 */
function coinOrders(others: readonly AccountOrder[], hops: readonly Hop[], facts: AccountFacts): AccountOrder[] {
  const { transaction, named, ledger } = facts
  const { flows, wrappedNative } = ledger
  if (flows.coins !== undefined || flows.deposits.length > 0 || transaction.value >= DUST_COINS) return []
  const withOrder = new Set(others.map(({ owner }) => owner))
  const sales = named.flatMap((account) => {
    const sell = withOrder.has(account.account) ? null : soldForCoins(account, ledger)
    return sell === null ? [] : [{ account, sell }]
  })
  if (sales.length === 0) return []
  const payments = paymentsOf(sales, flows)
  if (payments === null) return []
  const orders = sales.map(({ account, sell }): AccountOrder => {
    const { amount } = present(payments.get(account.account))
    return { ...orderFor(account), sell, buy: { token: wrappedNative, amount, native: true }, isUnwrapped: true }
  })
  const ends = new Set<Address>()
  for (const { sell, buy } of [...others, ...orders]) {
    ends.add(sell.token)
    // An account that got the wrapper may have been paid in it.
    if (!buy.native) ends.add(buy.token)
  }
  const venues = new Set(hops.map(({ pool }) => keeperOf(pool)))
  const mayBeElse = isElsePaid(ends, venues, ledger)
  if (hops.length === 0) return mayBeElse ? [] : orders
  return mayBeElse ? orders.map((order) => ({ ...order, needsHops: true as const })) : orders
}

interface CoinSale {
  account: NamedAccount
  sell: Leg
}

/** Returns the withdrawal that paid each account, or null if there is another number of them, or another order. */
function paymentsOf(sales: readonly CoinSale[], flows: ReceiptFlows): ReadonlyMap<Address, Wrapping> | null {
  const { transfers, withdrawals } = flows
  if (sales.length !== withdrawals.length) return null
  const paid = new Map<Address, Wrapping>()
  const [only] = sales
  const [first] = withdrawals
  if (sales.length === 1 && only !== undefined && first !== undefined) return paid.set(only.account.account, first)
  // Fills of 1inch are nested: the one that begins last is paid first.
  const areNested = sales.every(({ account }) => account.isMaker === true)
  const begins = new Map(sales.map(({ account, sell }) => [account.account, sell.token]))
  const unpaid: Address[] = []
  let next = 0
  for (const withdrawal of withdrawals) {
    for (; (transfers[next]?.logIndex ?? withdrawal.logIndex) < withdrawal.logIndex; next++) {
      const { from, token } = present(transfers[next])
      if (begins.get(from) !== token) continue
      begins.delete(from)
      unpaid.push(from)
    }
    const account = unpaid.pop()
    if (account === undefined || (unpaid.length > 0 && !areNested)) return null
    paid.set(account, withdrawal)
  }
  return paid
}

function soldForCoins(named: NamedAccount, ledger: Ledger): Leg | null {
  const { tokens, isUnclear } = ledger.of(named.account)
  const [[token, net] = [], ...others] = tokens
  if (!named.hasOrder || isUnclear || token === undefined || net === undefined || others.length > 0) return null
  if (net >= 0n || token === ledger.wrappedNative) return null
  if (named.bought.size > 0 && !isReported(ledger.wrappedNative, named.bought, ledger.wrappedNative)) return null
  return { token, amount: -net, native: false }
}

/** Returns whether an account that is no venue got a token other than these ends: a seller may have been paid in it. */
function isElsePaid(ends: ReadonlySet<Address>, venues: ReadonlySet<Address>, ledger: Ledger): boolean {
  const traded = new Set(ledger.flows.transfers.map(({ token }) => token))
  for (const token of traded) {
    if (ends.has(token)) continue
    const isPaid = (holder: Address, net: bigint) => net > 0n && holder !== ZERO_ADDRESS && !venues.has(holder)
    if ([...ledger.ofToken(token)].some(([holder, net]) => isPaid(holder, net))) return true
  }
  return false
}

function keptWith(parts: readonly (readonly Hop[])[], hops: readonly Hop[]): Hop[][] {
  const largest = new Map<number, { order: number; amountIn: bigint }>()
  parts.forEach((ofOrder, order) => {
    for (const { logIndex, amountIn } of ofOrder) {
      const before = largest.get(logIndex)
      if (before === undefined || amountIn > before.amountIn) largest.set(logIndex, { order, amountIn })
    }
  })
  const kept: Hop[][] = parts.map(() => [])
  for (const hop of hops) kept[largest.get(hop.logIndex)?.order ?? -1]?.push(hop)
  return kept
}

function tradeOf(order: AccountOrder, parts: readonly Hop[], hops: readonly Hop[], facts: AccountFacts): TradeEnds {
  const through = throughOf(order, parts)
  const ends: TradeEnds = { ...shownEnds(order, through, facts), hops, settledFor: order.account }
  if (parts.length === 0)
    return order.isUnwrapped === true ? { ...ends, isPartial: true, endsToCompare: ['buy'] } : ends
  if (!isSame(ends.sell, through.sell) || !isSame(ends.buy, through.buy)) ends.throughPools = through
  const isWhole = parts.length === hops.length && parts.every((part, index) => part === hops[index])
  return isWhole ? ends : { ...ends, routes: [{ ...through, hops: parts }] }
}

function shownEnds(
  { named, sell, buy, isUnwrapped }: AccountOrder,
  through: { sell: Leg; buy: Leg },
  facts: AccountFacts,
): Pick<TradeEnds, 'sell' | 'buy' | 'isPartial' | 'endsToCompare' | 'accountEnds'> {
  if (named === null) return { sell, buy, isPartial: false }
  const ofAccount = evidenceFacts(named, facts)
  const sold = endEvidence('sell', sell, through.sell, ofAccount)
  const bought = endEvidence('buy', buy, through.buy, ofAccount)
  const evidence: Record<EndSide, EndEvidence | null> = { sell: sold, buy: bought }
  const listed = END_SIDES.filter((side) => evidence[side] === 'listed')
  // An account that sold for coins has no other net.
  const isShown = (side: EndSide) => isUnwrapped || evidence[side] === 'pools' || evidence[side] === 'wrapped'
  return {
    sell: sold === null ? through.sell : sell,
    buy: bought === null ? through.buy : buy,
    isPartial: sold === null || bought === null,
    ...(listed.length > 0 && { endsToCompare: listed }),
    ...(!END_SIDES.every(isShown) && { accountEnds: END_SIDES.filter((side) => evidence[side] !== null) }),
  }
}

function throughOf({ sell, buy }: AccountOrder, parts: readonly Hop[]): { sell: Leg; buy: Leg } {
  const through = { sell: { ...sell, amount: 0n }, buy: { ...buy, amount: 0n } }
  for (const { tokenIn, amountIn, tokenOut, amountOut } of parts) {
    if (tokenIn === sell.token) through.sell.amount += amountIn
    if (tokenOut === buy.token) through.buy.amount += amountOut
  }
  const first = parts[0]
  const last = parts.at(-1)
  if (first !== undefined && through.sell.amount === 0n)
    through.sell = { token: first.tokenIn, amount: first.amountIn, native: first.nativeIn }
  if (last !== undefined && through.buy.amount === 0n)
    through.buy = { token: last.tokenOut, amount: last.amountOut, native: last.nativeOut }
  return through
}
