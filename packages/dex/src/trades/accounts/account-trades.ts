import type { Transaction } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { present } from '../../present.ts'
import { DUST_COINS, exchangeOf, loggedFlows } from '../receipt/coin-ends.ts'
import { type EvidenceFacts, endEvidence, isToldEnd } from '../receipt/end-evidence.ts'
import type { AccountNets, Ledger } from '../receipt/ledger.ts'
import { isTold, type NamedAccount, type ToldOrder } from '../receipt/settlements.ts'
import { isSame, type TradeEnds } from '../receipt/trade-ends.ts'
import type { EndSide, Hop, Leg } from '../trade.ts'
import { type Order, shareHops } from './share-hops.ts'

/**
 * Limit of orders times hops, because every order may have a part in every hop. Above it, accounts get no separate
 * trades. A batch of a hundred orders over two hundred hops stays below it.
 */
const MOST_SHARED_HOPS = 20_000

interface AccountFacts {
  transaction: Transaction
  ledger: Ledger
  /** Distinct, in the order of their events. */
  named: readonly NamedAccount[]
  /** What events tell, in log order. */
  told: readonly ToldOrder[]
  /** Tokens whose contracts are curated. */
  listed: ReadonlySet<Address>
}

/** Trades of accounts that each gave one token for one other token, and what remains. */
export interface AccountTrades {
  /** In the order of their first hops; trades without hops come last. */
  trades: TradeEnds[]
  /** Hops in which none of these trades has a part. */
  rest: readonly Hop[]
  /** Accounts that did not give one token for one other token. */
  others: readonly NamedAccount[]
}

interface AccountOrder extends Order {
  owner: Address
  /** Null: the owner sells for users that no event names. */
  account: Address | null
  /** Null: its event tells both ends. */
  named: NamedAccount | null
  sellsCoin: boolean
  buysCoin: boolean
  /** A fee may have been taken from the bought amount. */
  isAtMost?: true
  logIndex: number
}

/**
 * Returns the trades of accounts that a settlement's events show: orders of a batch, as its events tell them. If several
 * accounts are named, or no pool has a part in the transaction, also each account that gave one token for one other.
 * Each has its share of the hops. Null without such an order, or with too many orders and hops. `hops` are the trader's,
 * in log order.
 */
export function accountTrades(hops: readonly Hop[], facts: AccountFacts): AccountTrades | null {
  const { named, told } = facts
  if (named.length < 2 && hops.length > 0 && !told.some(({ isOfBatch }) => isOfBatch)) return null
  const all = ordersOf(hops, facts)
  if (all.length * hops.length > MOST_SHARED_HOPS) return null
  const isAlone = all.length === 1 && named.every(({ account }) => account === all[0]?.owner)
  const first = shareHops(hops, all, isAlone)
  const orders = all.filter((order, at) => (first.parts[at] ?? []).length > 0 || isShown(order, facts))
  if (orders.length === 0) return null
  const { parts, rest } = orders.length === all.length ? first : shareHops(hops, orders)
  const accounts = new Set(orders.map(({ account }) => account))
  const kept = keptWith(parts, hops)
  const trades = orders.map((order, at) => tradeOf(order, parts[at] ?? [], kept[at] ?? [], facts))
  return {
    trades: trades.sort((a, b) => placeOf(a) - placeOf(b)),
    rest,
    others: named.filter(({ account }) => !accounts.has(account)),
  }
}

/** Returns the orders of batches, then those that nets show, then, without any hop, those of routers. Without any of these,
 * the only account may have been paid in coins. */
function ordersOf(hops: readonly Hop[], { transaction, named, told, ledger }: AccountFacts): AccountOrder[] {
  const accounts = new Set(named.map(({ account }) => account))
  const ofBatches = told.flatMap((order): AccountOrder[] =>
    order.isOfBatch ? [toldOrder(order, accounts, told, ledger.of(order.owner))] : [],
  )
  const owners = new Set(ofBatches.map(({ owner }) => owner))
  const others = named.filter(({ account }) => !owners.has(account))
  const ofNets = others.flatMap((namedAccount) =>
    hops.length > 0 || namedAccount.hasOrder ? (orderOf(namedAccount, ledger) ?? []) : [],
  )
  if (hops.length > 0) return [...ofBatches, ...ofNets]
  for (const { owner } of ofNets) owners.add(owner)
  const ofRouters = told.flatMap((order): AccountOrder[] => {
    const isOpen = !owners.has(order.owner) && accounts.has(order.owner)
    const nets = ledger.of(order.owner)
    return isOpen && hasFlows(order, nets, transaction) ? [toldOrder(order, accounts, told, nets)] : []
  })
  const all = [...ofBatches, ...ofNets, ...ofRouters]
  const [only] = named
  if (all.length > 0 || named.length !== 1 || only?.hasOrder !== true || transaction.value >= DUST_COINS) return all
  return [coinOrderOf(only, ledger) ?? []].flat()
}

/** Whether the account's own flows agree with an event: a router may be called by another one, which is no account. */
function hasFlows(
  { owner, sell, buy }: ToldOrder,
  { tokens, coins, isUnclear }: AccountNets,
  { from, value }: Transaction,
): boolean {
  if (isUnclear || buy.amount === null) return false
  const sold = sell.native ? (coins ?? (owner === from ? -value : 0n)) : tokens.of(sell.token)
  if (sold >= 0n) return false
  if (!buy.native) return tokens.of(buy.token) >= 0n
  return coins === undefined || coins >= 0n
}

/**
 * Returns an order as its event tells it. If it is all that the account did, the account got less only by a tax on the
 * transfer: then that is the bought amount.
 */
function toldOrder(
  { owner, sell, buy, logIndex }: ToldOrder,
  accounts: ReadonlySet<Address>,
  told: readonly ToldOrder[],
  { tokens, isUnclear }: AccountNets,
): AccountOrder {
  const toldAmount = present(buy.amount)
  const got = tokens.of(buy.token)
  const isAll = !isUnclear && tokens.size === 2 && tokens.of(sell.token) < 0n
  const isOnly = told.filter((other) => other.owner === owner).length === 1
  const isTaxed = isAll && isOnly && !buy.native && got > 0n && got < toldAmount
  return {
    owner,
    account: accounts.has(owner) ? owner : null,
    named: null,
    logIndex,
    sell: sell.token,
    sellAmount: sell.amount,
    sellsCoin: sell.native,
    buy: buy.token,
    buyAmount: isTaxed ? got : toldAmount,
    buysCoin: buy.native,
  }
}

/**
 * Returns whether there is evidence of an order without any hop, beside its tokens' own events, which anyone can forge:
 * an event of its settlement tells it, or each of its tokens is told or listed.
 */
function isShown({ named, sell, buy }: AccountOrder, facts: AccountFacts): boolean {
  if (named === null) return true
  const isEnd = (side: EndSide, token: Address) =>
    facts.listed.has(token) || isToldEnd(side, token, evidenceFacts(named, facts))
  return named.hasOrder && isEnd('sell', sell) && isEnd('buy', buy)
}

function evidenceFacts(named: NamedAccount, { ledger, listed }: AccountFacts): EvidenceFacts {
  const { flows, wrappedNative } = ledger
  return { transfers: flows.transfers, told: [named], listed, wrappedNative }
}

/** Returns an account's nets as an order. */
function orderOf(named: NamedAccount, ledger: Ledger): AccountOrder | null {
  const { tokens, isUnclear, coins } = ledger.of(named.account)
  if (isUnclear) return null
  const seen = [...tokens].map(([token, net]) => [token, net, false] as const)
  const exchange = exchangeOf(coins === undefined ? seen : loggedFlows(tokens, coins, ledger.wrappedNative))
  if (exchange === null) return null
  const { sell, buy } = exchange
  const { account, logIndex } = named
  return {
    owner: account,
    account,
    named,
    logIndex,
    sell: sell.token,
    sellAmount: sell.amount,
    sellsCoin: sell.native,
    buy: buy.token,
    buyAmount: buy.amount,
    buysCoin: buy.native,
  }
}

/**
 * Returns the order of an account that gave one token and was paid in coins that no log shows: the only withdrawal of
 * the transaction paid them, and nobody got any other token. A fee in coins leaves no log, so the account got at most
 * that much.
 */
function coinOrderOf(named: NamedAccount, ledger: Ledger): AccountOrder | null {
  const { flows, wrappedNative } = ledger
  const { tokens, isUnclear, coins } = ledger.of(named.account)
  const [[sell, net] = [], ...others] = tokens
  const [withdrawal, ...more] = flows.withdrawals
  if (isUnclear || coins !== undefined || sell === undefined || net === undefined || others.length > 0) return null
  if (net >= 0n || withdrawal === undefined || more.length > 0 || flows.deposits.length > 0) return null
  if (sell === wrappedNative || (named.bought.size > 0 && !isTold(wrappedNative, named.bought, wrappedNative)))
    return null
  const traded = new Set(flows.transfers.map(({ token }) => token))
  for (const token of traded) {
    if (token === sell) continue
    if ([...ledger.ofToken(token)].some(([holder, got]) => got > 0n && holder !== ZERO_ADDRESS)) return null
  }
  const { account, logIndex } = named
  return {
    owner: account,
    account,
    named,
    logIndex,
    isAtMost: true,
    sell,
    sellAmount: -net,
    sellsCoin: false,
    buy: wrappedNative,
    buyAmount: withdrawal.amount,
    buysCoin: true,
  }
}

/** Returns the hops stored with each trade. A shared hop is stored with the trade that has its largest part. */
function keptWith(parts: readonly (readonly Hop[])[], hops: readonly Hop[]): Hop[][] {
  const largest = new Map<number, { order: number; amountIn: bigint }>()
  parts.forEach((ofOrder, order) => {
    for (const { logIndex, amountIn } of ofOrder) {
      const known = largest.get(logIndex)
      if (known === undefined || amountIn > known.amountIn) largest.set(logIndex, { order, amountIn })
    }
  })
  const kept: Hop[][] = parts.map(() => [])
  for (const hop of hops) kept[largest.get(hop.logIndex)?.order ?? -1]?.push(hop)
  return kept
}

function tradeOf(order: AccountOrder, parts: readonly Hop[], hops: readonly Hop[], facts: AccountFacts): TradeEnds {
  const through = throughOf(order, parts)
  const { owner, account: settledFor, logIndex } = order
  const ends: TradeEnds = {
    ...shownEnds(order, through, facts),
    hops,
    settledFor,
    order: { owner, logIndex },
  }
  if (parts.length === 0) return ends
  if (!isSame(ends.sell, through.sell) || !isSame(ends.buy, through.buy)) ends.throughPools = through
  const isWhole = parts.length === hops.length && parts.every((part, at) => part === hops[at])
  return isWhole ? ends : { ...ends, routes: [{ ...through, hops: parts }] }
}

/** Returns the ends of an order. An end that only its token's own events show is replaced by what its parts show. */
function shownEnds(
  { named, sell, sellAmount, sellsCoin, buy, buyAmount, buysCoin, isAtMost }: AccountOrder,
  through: { sell: Leg; buy: Leg },
  facts: AccountFacts,
): Pick<TradeEnds, 'sell' | 'buy' | 'isPartial' | 'endsToCompare'> {
  const own = {
    sell: { token: sell, amount: sellAmount, native: sellsCoin },
    buy: { token: buy, amount: buyAmount, native: buysCoin },
  }
  if (named === null) return { ...own, isPartial: false }
  const evidence = evidenceFacts(named, facts)
  const sold = endEvidence('sell', own.sell, through.sell, evidence)
  const bought = endEvidence('buy', own.buy, through.buy, evidence)
  const listed = [...(sold === 'listed' ? (['sell'] as const) : []), ...(bought === 'listed' ? (['buy'] as const) : [])]
  return {
    sell: sold === null ? through.sell : own.sell,
    buy: bought === null ? through.buy : own.buy,
    isPartial: isAtMost === true || sold === null || bought === null,
    ...(listed.length > 0 && { endsToCompare: listed }),
  }
}

/**
 * Returns what entered the first pools of an order and left the last ones. If only a part of its path is known, the
 * first or the last hop replaces the missing end. An order that used no pool has amounts of 0.
 */
function throughOf({ sell, sellsCoin, buy, buysCoin }: AccountOrder, parts: readonly Hop[]): { sell: Leg; buy: Leg } {
  const sold = parts.reduce((sum, { tokenIn, amountIn }) => (tokenIn === sell ? sum + amountIn : sum), 0n)
  const bought = parts.reduce((sum, { tokenOut, amountOut }) => (tokenOut === buy ? sum + amountOut : sum), 0n)
  const first = parts[0]
  const last = parts.at(-1)
  const isSold = sold > 0n || first === undefined
  const isBought = bought > 0n || last === undefined
  return {
    sell: isSold
      ? { token: sell, amount: sold, native: sellsCoin }
      : { token: first.tokenIn, amount: first.amountIn, native: first.nativeIn },
    buy: isBought
      ? { token: buy, amount: bought, native: buysCoin }
      : { token: last.tokenOut, amount: last.amountOut, native: last.nativeOut },
  }
}

/** Returns the log index of the first hop in which a trade has a part; the largest integer without any. */
export function placeOf({ hops, routes = [] }: Pick<TradeEnds, 'hops' | 'routes'>): number {
  const firsts = [hops[0], ...routes.map((route) => route.hops[0])]
  return Math.min(...firsts.map((hop) => hop?.logIndex ?? Number.MAX_SAFE_INTEGER))
}
