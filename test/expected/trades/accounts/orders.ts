import type { Hop } from '../receipt/hops.ts'
import type { Receipt } from '../receipt/receipt.ts'
import { boughtCoins, type Settlement } from '../receipt/settlements.ts'
import type { EndedTrade } from './account-trades.ts'
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
  const orders = withoutUnpaid(candidates, hops, receipt)
  if (orders.length === 0) return null
  const shares = sharesOf(orders, hops)
  const owners = new Map(hops.map((hop) => [hop, ownerOf(hop, orders, shares)]))
  return {
    accounts: new Set(orders.map(({ account }) => account)),
    rows: orders.map((order) => {
      const own = hops.filter((hop) => owners.get(hop) === order)
      return rowOf(order, shares.get(order) ?? [], own)
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

/** Returns the orders, except those for coins that none of their hops paid. */
function withoutUnpaid(orders: readonly Order[], hops: readonly Hop[], { wrappedNative }: Receipt): Order[] {
  const shares = sharesOf(orders, hops)
  return orders.filter((order) => {
    return order.bought.amount !== null || (shares.get(order) ?? []).some(({ hop }) => hop.tokenOut === wrappedNative)
  })
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
