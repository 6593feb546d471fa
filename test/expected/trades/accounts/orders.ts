import type { Hop } from '../receipt/hops.ts'
import type { Receipt } from '../receipt/receipt.ts'
import { boughtCoins, type Settlement, type ToldTokens, tokensTold } from '../receipt/settlements.ts'
import type { EndedTrade } from './account-trades.ts'
import { evidenceOf } from './evidence.ts'
import { type Flow, isIncredible, loggedFlows, pairOf, tokenFlows } from './flows.ts'
import { type Order, type Share, sharesOf } from './shares.ts'

/** A row of an order, and its place. */
interface OrderRow {
  row: EndedTrade
  /** The first log of a hop that serves the order. Null puts the row last. */
  firstLog: number | null
}

/** The one-for-one trades of several accounts, and the hops that serve none of them. */
export interface Orders {
  accounts: ReadonlySet<string>
  rows: OrderRow[]
  rest: Hop[]
}

/** Returns null if no account has an order. */
export function ordersOf(
  hops: readonly Hop[],
  named: ReadonlySet<string>,
  receipt: Receipt,
  settlements: readonly Settlement[],
): Orders | null {
  const candidates = [...named].flatMap((account) => orderOf(account, receipt, settlements))
  const toldOf = ({ account }: Order) =>
    tokensTold(new Set([account]), receipt.logs, settlements, receipt.wrappedNative)
  const orders = withoutUnshown(candidates, hops, toldOf, receipt)
  if (orders.length === 0) return null
  const shares = sharesOf(orders, hops)
  const owners = new Map(hops.map((hop) => [hop, ownerOf(hop, orders, shares)]))
  return {
    accounts: new Set(orders.map(({ account }) => account)),
    rows: orders.map((order) => {
      const own = hops.filter((hop) => owners.get(hop) === order)
      return shownRow(rowOf(order, shares.get(order) ?? [], own), toldOf(order), receipt)
    }),
    rest: hops.filter((hop) => owners.get(hop) === null),
  }
}

function orderOf(account: string, receipt: Receipt, settlements: readonly Settlement[]): Order[] {
  const { wrappedNative, logsCoins, nets, logs } = receipt
  if (nets.hasItems(account) || isIncredible(account, receipt)) return []
  const flows = logsCoins ? loggedFlows(account, receipt) : tokenFlows(account, receipt)
  const pair = pairOf(account, flows)
  if (pair !== null) return [{ account, sold: pair.out, bought: pair.in }]
  const [out, another] = flows
  const isCoinOrder =
    !logsCoins &&
    out &&
    !another &&
    out.amount < 0n &&
    out.token !== wrappedNative &&
    boughtCoins(account, logs, settlements)
  if (!isCoinOrder) return []
  return [{ account, sold: outOf(out), bought: { token: wrappedNative, amount: null, native: true } }]
}

function outOf({ token, amount, native }: Flow): Flow {
  return { token, amount: -amount, native }
}

/**
 * Returns the orders, except those for coins that none of their hops paid, and those without a hop of which nothing but
 * a token's own events shows an end.
 */
function withoutUnshown(
  orders: readonly Order[],
  hops: readonly Hop[],
  toldOf: (order: Order) => ToldTokens,
  { wrappedNative, listed }: Receipt,
): Order[] {
  const shares = sharesOf(orders, hops)
  return orders.filter((order) => {
    const parts = shares.get(order) ?? []
    if (order.bought.amount === null) return parts.some(({ hop }) => hop.tokenOut === wrappedNative)
    const told = toldOf(order)
    const isReal = (side: 'sell' | 'buy', token: string) => listed.has(token) || told[side].has(token)
    return parts.length > 0 || (isReal('sell', order.sold.token) && isReal('buy', order.bought.token))
  })
}

/** Replaces an end that nothing but its token's own events shows by the pools'. */
function shownRow({ row, firstLog }: OrderRow, told: ToldTokens, receipt: Receipt): OrderRow {
  const { sell, buy, through } = row
  const sold = evidenceOf('sell', sell, through.sell, told, receipt)
  const bought = evidenceOf('buy', buy, through.buy, told, receipt)
  const open = [...(sold === 'listed' ? (['sell'] as const) : []), ...(bought === 'listed' ? (['buy'] as const) : [])]
  return {
    firstLog,
    row: {
      ...row,
      sell: sold === null ? through.sell : sell,
      buy: bought === null ? through.buy : buy,
      isPartial: sold === null || bought === null,
      ...(open.length > 0 && { endsToCompare: open }),
    },
  }
}

/** Returns the order that a hop is stored with: the one with the largest part of its input. The first wins a tie. */
function ownerOf(hop: Hop, orders: readonly Order[], shares: ReadonlyMap<Order, readonly Share[]>): Order | null {
  const parts = orders.flatMap((order) =>
    (shares.get(order) ?? []).filter((share) => share.hop === hop).map(({ amountIn }) => ({ order, amountIn })),
  )
  return parts.toSorted((a, b) => (a.amountIn === b.amountIn ? 0 : a.amountIn < b.amountIn ? 1 : -1))[0]?.order ?? null
}

function rowOf({ account, sold, bought }: Order, shares: readonly Share[], hops: readonly Hop[]): OrderRow {
  const took = shares.filter(({ hop }) => hop.tokenIn === sold.token)
  const gave = shares.filter(({ hop }) => hop.tokenOut === bought.token)
  const [first, last] = [shares[0], shares.at(-1)]
  const tookAll = took.reduce((sum, { amountIn }) => sum + amountIn, 0n)
  const gaveAll = gave.reduce((sum, { amountOut }) => sum + amountOut, 0n)
  const sell = { token: sold.token, amount: tookAll, native: false }
  const buy = { token: bought.token, amount: gaveAll, native: false }
  const through = {
    sell: first && took.length === 0 ? { ...sell, token: first.hop.tokenIn, amount: first.amountIn } : sell,
    buy: last && gave.length === 0 ? { ...buy, token: last.hop.tokenOut, amount: last.amountOut } : buy,
  }
  const parts = shares.map(({ hop, amountIn, amountOut }) => ({ ...hop, amountIn, amountOut }))
  return {
    firstLog: first?.hop.logIndex ?? null,
    row: {
      ...{ hops, shape: 'route', through, routes: [{ through, hops: parts }], settledFor: account, isPartial: false },
      sell: sold,
      buy: { ...bought, amount: bought.amount ?? gaveAll },
    },
  }
}
