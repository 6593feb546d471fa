import type { Address } from '../../chain/hex.ts'
import { exchangeOf, loggedFlows } from '../receipt/coin-ends.ts'
import { type EvidenceFacts, endEvidence, isToldEnd } from '../receipt/end-evidence.ts'
import { type AccountNets, netsOfAll, type ReceiptFlows } from '../receipt/receipt-flows.ts'
import type { NamedAccount } from '../receipt/settlements.ts'
import { isSame, type TradeEnds } from '../receipt/trade-ends.ts'
import type { EndSide, Hop, Leg } from '../trade.ts'
import { type Order, shareHops } from './share-hops.ts'

/**
 * Limit of orders times hops, because every order may have a part in every hop. Above it, accounts get no separate
 * trades. A batch of a hundred orders over two hundred hops stays below it.
 */
const MOST_SHARED_HOPS = 20_000

interface AccountFacts {
  flows: ReceiptFlows
  /** Distinct, in the order of their events. */
  named: readonly NamedAccount[]
  wrappedNative: Address
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
  named: NamedAccount
  sellsCoin: boolean
  buysCoin: boolean
}

/**
 * Returns the trades of a transaction whose events name several accounts. Each account that gave one token for one
 * other token has a trade of its flows, with its share of the hops. Null without such an account, or with too many
 * orders and hops. `hops` are the trader's, in log order.
 */
export function accountTrades(hops: readonly Hop[], facts: AccountFacts): AccountTrades | null {
  if (facts.named.length < 2) return null
  const netsOf = netsOfAll(
    facts.named.map(({ account }) => account),
    facts.flows,
    facts.wrappedNative,
  )
  const all = facts.named.flatMap((named) => orderOf(named, netsOf(named.account), facts.wrappedNative) ?? [])
  if (all.length * hops.length > MOST_SHARED_HOPS) return null
  const first = shareHops(hops, all)
  const orders = all.filter((order, at) => isShown(order, first.parts[at] ?? [], facts))
  if (orders.length === 0) return null
  const { parts, rest } = orders.length === all.length ? first : shareHops(hops, orders)
  const accounts = new Set(orders.map(({ named }) => named.account))
  const kept = keptWith(parts, hops)
  const trades = orders.map((order, at) => tradeOf(order, parts[at] ?? [], kept[at] ?? [], facts))
  return {
    trades: trades.sort((a, b) => placeOf(a) - placeOf(b)),
    rest,
    others: facts.named.filter(({ account }) => !accounts.has(account)),
  }
}

/**
 * Returns whether there is evidence of an order beside its tokens' own events, which anyone can forge. If no hop has a
 * part of it, each of its tokens must be told by its event or be listed. If coins are not logged, the hops that paid them show their amount.
 */
function isShown(order: AccountOrder, parts: readonly Hop[], facts: AccountFacts): boolean {
  const { named, sell, buy, buyAmount } = order
  if (buyAmount === null) return parts.some((hop) => hop.tokenOut === buy)
  if (parts.length > 0) return true
  const isEnd = (side: EndSide, token: Address) =>
    facts.listed.has(token) || isToldEnd(side, token, evidenceFacts(named, facts))
  return isEnd('sell', sell) && isEnd('buy', buy)
}

function evidenceFacts(named: NamedAccount, { flows, listed, wrappedNative }: AccountFacts): EvidenceFacts {
  return { transfers: flows.transfers, told: [named], listed, wrappedNative }
}

/** Returns an account's nets as an order, or one token sold for coins that its event names and no log shows. */
function orderOf(
  named: NamedAccount,
  { tokens, isUnclear, coins }: AccountNets,
  wrappedNative: Address,
): AccountOrder | null {
  if (isUnclear) return null
  const seen = [...tokens].map(([token, net]) => [token, net, false] as const)
  const exchange = exchangeOf(coins === undefined ? seen : loggedFlows(tokens, coins, wrappedNative))
  if (exchange !== null) {
    const { sell, buy } = exchange
    return {
      ...{ named, sell: sell.token, sellAmount: sell.amount, sellsCoin: sell.native },
      ...{ buy: buy.token, buyAmount: buy.amount, buysCoin: buy.native },
    }
  }
  const [only, ...others] = seen
  const { buysCoin } = named
  if (!buysCoin || coins !== undefined || only === undefined || others.length > 0) return null
  const [sell, net] = only
  if (net > 0n) return null
  // If the wrapped coin is sold, no hop serves the order, and `accountTrades` drops it.
  return { named, sell, sellAmount: -net, sellsCoin: false, buy: wrappedNative, buyAmount: null, buysCoin }
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
  const ends: TradeEnds = {
    ...shownEnds(order, through, facts),
    hops,
    settledFor: order.named.account,
  }
  if (!isSame(ends.sell, through.sell) || !isSame(ends.buy, through.buy)) ends.throughPools = through
  const isWhole = parts.length > 0 && parts.length === hops.length && parts.every((part, at) => part === hops[at])
  return isWhole ? ends : { ...ends, routes: [{ ...through, hops: parts }] }
}

/** Returns the ends of an order. An end that only its token's own events show is replaced by what its parts show. */
function shownEnds(
  { named, sell, sellAmount, sellsCoin, buy, buyAmount, buysCoin }: AccountOrder,
  through: { sell: Leg; buy: Leg },
  facts: AccountFacts,
): Pick<TradeEnds, 'sell' | 'buy' | 'isPartial' | 'endsToCompare'> {
  const own = {
    sell: { token: sell, amount: sellAmount, native: sellsCoin },
    buy: { token: buy, amount: buyAmount ?? through.buy.amount, native: buysCoin },
  }
  const evidence = evidenceFacts(named, facts)
  const sold = endEvidence('sell', own.sell, through.sell, evidence)
  const bought = endEvidence('buy', own.buy, through.buy, evidence)
  const listed = [...(sold === 'listed' ? (['sell'] as const) : []), ...(bought === 'listed' ? (['buy'] as const) : [])]
  return {
    sell: sold === null ? through.sell : own.sell,
    buy: bought === null ? through.buy : own.buy,
    isPartial: sold === null || bought === null,
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
  const [first, last] = [parts[0], parts.at(-1)]
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
