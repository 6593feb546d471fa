import type { Transaction } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { present } from '../../present.ts'
import { DUST_COINS, exchangeOf, loggedFlows } from '../receipt/coin-ends.ts'
import { type EvidenceFacts, endEvidence, isReportedEnd } from '../receipt/end-evidence.ts'
import type { AccountNets, Ledger } from '../receipt/ledger.ts'
import { isReported, type NamedAccount, type ReportedOrder } from '../receipt/settlements.ts'
import { isSame, type TradeEnds } from '../receipt/trade-ends.ts'
import { END_SIDES, type EndSide, type Hop, type Leg, type PlacedOrder } from '../trade.ts'
import { shareHops } from './share-hops.ts'

/**
 * Limit on orders times hops, since every order may have a share of every hop. Beyond it, accounts get no separate
 * trades.
 */
const MAX_SHARED_HOPS = 20_000

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
  /** Ordered by first hop; trades without hops come last. */
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
  /** The account may have received less, because a fee in coins leaves no log. */
  isAtMost?: true
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
  const first = shareHops(hops, all, isAlone)
  const orders = all.filter((order, index) => (first.parts[index] ?? []).length > 0 || isShown(order, facts))
  if (orders.length === 0) return null
  const { parts, rest } = orders.length === all.length ? first : shareHops(hops, orders)
  const accounts = new Set(orders.map(({ account }) => account))
  const kept = keptWith(parts, hops)
  const trades = orders.map((order, index): OrderTrade => {
    const { owner, logIndex } = order
    return { ends: tradeOf(order, parts[index] ?? [], kept[index] ?? [], facts), order: { owner, logIndex } }
  })
  return {
    trades: trades.sort((a, b) => placeOf(a.ends) - placeOf(b.ends)),
    rest,
    others: named.filter(({ account }) => !accounts.has(account)),
  }
}

function ordersOf(hops: readonly Hop[], { transaction, named, reported, ledger }: AccountFacts): AccountOrder[] {
  const accounts = new Set(named.map(({ account }) => account))
  const ofBatches = reported.flatMap((order): AccountOrder[] =>
    order.isOfBatch ? [reportedOrder(order, accounts, reported, ledger.of(order.owner))] : [],
  )
  const owners = new Set(ofBatches.map(({ owner }) => owner))
  const others = named.filter(({ account }) => !owners.has(account))
  const ofNets = others.flatMap((namedAccount) =>
    hops.length > 0 || namedAccount.hasOrder ? (orderOf(namedAccount, ledger) ?? []) : [],
  )
  if (hops.length > 0) return [...ofBatches, ...ofNets]
  for (const { owner } of ofNets) owners.add(owner)
  const ofRouters = reported.flatMap((order): AccountOrder[] => {
    const isOpen = !owners.has(order.owner) && accounts.has(order.owner)
    const nets = ledger.of(order.owner)
    return isOpen && hasFlows(order, nets, transaction) ? [reportedOrder(order, accounts, reported, nets)] : []
  })
  const all = [...ofBatches, ...ofNets, ...ofRouters]
  const [only] = named
  if (all.length > 0 || named.length !== 1 || only?.hasOrder !== true || transaction.value >= DUST_COINS) return all
  const paidInCoins = coinOrderOf(only, ledger)
  return paidInCoins === null ? [] : [paidInCoins]
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

/** A token's own events are no evidence, because anyone can forge them. */
function isShown({ named, sell, buy }: AccountOrder, facts: AccountFacts): boolean {
  if (named === null) return true
  const isEnd = (side: EndSide, token: Address) =>
    facts.listed.has(token) || isReportedEnd(side, token, evidenceFacts(named, facts))
  return named.hasOrder && isEnd('sell', sell.token) && isEnd('buy', buy.token)
}

function evidenceFacts(named: NamedAccount, { ledger, listed }: AccountFacts): EvidenceFacts {
  const { flows, wrappedNative } = ledger
  return { transfers: flows.transfers, named: [named], listed, wrappedNative }
}

function orderOf(named: NamedAccount, ledger: Ledger): AccountOrder | null {
  const { tokens, isUnclear, coins } = ledger.of(named.account)
  if (isUnclear) return null
  const seen = [...tokens].map(([token, net]) => [token, net, false] as const)
  const exchange = exchangeOf(coins === undefined ? seen : loggedFlows(tokens, coins, ledger.wrappedNative))
  const { account, logIndex } = named
  return exchange && { ...exchange, owner: account, account, named, logIndex }
}

/** The amount is an upper bound, because a fee in coins leaves no log. */
function coinOrderOf(named: NamedAccount, ledger: Ledger): AccountOrder | null {
  const { flows, wrappedNative } = ledger
  const { tokens, isUnclear, coins } = ledger.of(named.account)
  const [[sold, net] = [], ...others] = tokens
  const [withdrawal, ...more] = flows.withdrawals
  if (isUnclear || coins !== undefined || sold === undefined || net === undefined || others.length > 0) return null
  if (net >= 0n || withdrawal === undefined || more.length > 0 || flows.deposits.length > 0) return null
  if (sold === wrappedNative || (named.bought.size > 0 && !isReported(wrappedNative, named.bought, wrappedNative)))
    return null
  const traded = new Set(flows.transfers.map(({ token }) => token))
  for (const token of traded) {
    if (token === sold) continue
    if ([...ledger.ofToken(token)].some(([holder, got]) => got > 0n && holder !== ZERO_ADDRESS)) return null
  }
  const { account, logIndex } = named
  const sell = { token: sold, amount: -net, native: false }
  const buy = { token: wrappedNative, amount: withdrawal.amount, native: true }
  return { owner: account, account, named, logIndex, isAtMost: true, sell, buy }
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
  if (parts.length === 0) return ends
  if (!isSame(ends.sell, through.sell) || !isSame(ends.buy, through.buy)) ends.throughPools = through
  const isWhole = parts.length === hops.length && parts.every((part, index) => part === hops[index])
  return isWhole ? ends : { ...ends, routes: [{ ...through, hops: parts }] }
}

function shownEnds(
  { named, sell, buy, isAtMost }: AccountOrder,
  through: { sell: Leg; buy: Leg },
  facts: AccountFacts,
): Pick<TradeEnds, 'sell' | 'buy' | 'isPartial' | 'endsToCompare'> {
  if (named === null) return { sell, buy, isPartial: false }
  const evidence = evidenceFacts(named, facts)
  const sold = endEvidence('sell', sell, through.sell, evidence)
  const bought = endEvidence('buy', buy, through.buy, evidence)
  const listed = END_SIDES.filter((side) => (side === 'sell' ? sold : bought) === 'listed')
  return {
    sell: sold === null ? through.sell : sell,
    buy: bought === null ? through.buy : buy,
    isPartial: isAtMost === true || sold === null || bought === null,
    ...(listed.length > 0 && { endsToCompare: listed }),
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

/** Returns the log index of the first hop in which a trade has a share, or `MAX_SAFE_INTEGER` if there is none. */
export function placeOf({ hops, routes = [] }: Pick<TradeEnds, 'hops' | 'routes'>): number {
  let place = hops[0]?.logIndex ?? Number.MAX_SAFE_INTEGER
  for (const route of routes) place = Math.min(place, route.hops[0]?.logIndex ?? place)
  return place
}
