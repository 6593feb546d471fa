import type { Leg } from '../legs.ts'
import type { Hop } from '../receipt/hops.ts'
import { BURNT, type Receipt } from '../receipt/receipt.ts'
import {
  accountsNamed,
  mayBeOrder,
  type OrderTold,
  ordersTold,
  type Settlement,
  type ToldTokens,
  tokensTold,
} from '../receipt/settlements.ts'
import { tradesThroughPools } from '../routes.ts'
import type { EndedTrade } from './account-trades.ts'
import { evidenceOf } from './evidence.ts'
import { isIncredible, loggedFlows, pairOf, tokenFlows } from './flows.ts'
import { areNear } from './joined.ts'
import { DUST, type Named } from './makers.ts'
import { type Order, type Share, sharesOf } from './shares.ts'

interface OrderRow {
  row: EndedTrade
  /** Null puts the row last. */
  firstLog: number | null
}

export interface Orders {
  owners: ReadonlySet<string>
  accounts: ReadonlySet<string>
  rows: OrderRow[]
  rest: Hop[]
}

export function ordersOf(
  hops: readonly Hop[],
  parties: Named,
  receipt: Receipt,
  settlements: readonly Settlement[],
  isByNets = false,
): Orders | null {
  const { accounts: named, makers, taker, hasFills } = parties
  const told = ordersTold(receipt.logs, settlements, receipt.wrappedNative)
  const batch = told.filter(({ isOfBatch }) => isOfBatch).map((orderTold) => toldOrder(orderTold, named, told, receipt))
  if (batch.length === 0 && named.size < 2 && hops.length > 0) return null
  const isNamedByOrder = (account: string) =>
    receipt.logs.some((log) => mayBeOrder(log, settlements) && accountsNamed([log], settlements).has(account))
  const isUnproven = (account: string) =>
    hasFills && hops.length === 0 && !makers.has(account) && !isNamedByOrder(account)
  const mayOrder = (account: string) => makers.has(account) || isUnproven(account) || isNamedByOrder(account)
  const byNets = [...named]
    .filter((account) => !batch.some(({ owner }) => owner === account) && (hops.length > 0 || mayOrder(account)))
    .flatMap((account) => orderOf(account, account === taker, receipt))
  const taken = new Set([...batch, ...byNets].map(({ owner }) => owner))
  const byRouters = told.filter((orderTold) => {
    return (
      hops.length === 0 && !taken.has(orderTold.owner) && named.has(orderTold.owner) && hasFlows(orderTold, receipt)
    )
  })
  const reported = byRouters.map((orderTold) => toldOrder(orderTold, named, told, receipt))
  const boughtBy = (account: string) =>
    tokensTold(new Set([account]), receipt.logs, settlements, receipt.wrappedNative).buy
  const inCoins = () => {
    const sellers = [...named].filter((account) => !taken.has(account) && mayOrder(account))
    return coinOrders(sellers, byNets, parties, boughtBy, hops, receipt)
  }
  const isByEvents = batch.length + reported.length > 0
  const all = isByEvents ? [...batch, ...byNets, ...reported] : [...byNets, ...inCoins()]
  const candidates = isByNets ? byNets : all
  const toldOf = ({ owner }: Order) => tokensTold(new Set([owner]), receipt.logs, settlements, receipt.wrappedNative)
  const isReal = (order: Order) => {
    if (order.isTold) return true
    const { sell, buy } = toldOf(order)
    const { sold, bought } = order
    const isKnown = (tokens: ReadonlySet<string>, token: string) => receipt.listed.has(token) || tokens.has(token)
    const ofMakers = receipt.nets
      .accounts()
      .map((account) => [receipt.nets.of(account, sold.token), -receipt.nets.of(account, bought.token)] as const)
      .filter(([got, gave]) => got > 0n && gave > 0n)
    const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
    const areFilled =
      5n * sum(ofMakers.map(([got]) => got)) >= 4n * sold.amount &&
      5n * sum(ofMakers.map(([, gave]) => gave)) >= 4n * bought.amount
    if ((order.owner === taker || isUnproven(order.owner)) && !areFilled) return false
    return mayOrder(order.owner) && isKnown(sell, sold.token) && isKnown(buy, bought.token)
  }
  const isAlone = candidates.length === 1 && [...named].every((account) => account === candidates[0]?.owner)
  const { served, shares, unpaid } = ownShares(candidates, hops, isAlone)
  const orders = candidates.filter((order) => {
    const isPaid = (shares.get(order) ?? []).length > 0
    return !unpaid.has(order) && (isPaid || (!order.needsHops && isReal(order)))
  })
  if (orders.length === 0) return null
  const holders = new Map(hops.map((hop) => [hop, ownerOf(hop, served, shares)]))
  return {
    owners: new Set(orders.map(({ owner }) => owner)),
    accounts: new Set(orders.flatMap(({ account }) => account ?? [])),
    rows: orders.map((order) => {
      const own = hops.filter((hop) => holders.get(hop) === order)
      const row = rowOf(order, shares.get(order) ?? [], own)
      if (order.isTold) return row
      const { row: ended, firstLog } = shownRow(row, order.isUnwrapped === true, toldOf(order), receipt)
      const isAtMost = order.isUnwrapped && (shares.get(order) ?? []).length === 0
      return { firstLog, row: isAtMost ? { ...ended, isPartial: true, endsToCompare: ['buy'] } : ended }
    }),
    rest: hops.filter((hop) => holders.get(hop) === null),
  }
}

/**
 * Reads an order from an event. If its owner did nothing else and got less than the event states, a tax explains that.
 */
function toldOrder(
  { owner, sold, bought }: OrderTold,
  named: ReadonlySet<string>,
  told: readonly OrderTold[],
  receipt: Receipt,
): Order {
  const { nets } = receipt
  const flows = nets.tokens(owner)
  const got = nets.of(owner, bought.token)
  const isAll = flows.length === 2 && nets.of(owner, sold.token) < 0n
  const isClear = !nets.hasItems(owner) && !isIncredible(owner, receipt)
  const isOnly = told.filter((other) => other.owner === owner).length === 1
  const isTaxed = isAll && isClear && isOnly && !bought.native && got > 0n && got < (bought.amount ?? 0n)
  const account = named.has(owner) ? owner : null
  return {
    owner,
    account,
    isTold: true,
    sold: { ...sold, amount: sold.amount ?? 0n },
    bought: { ...bought, amount: isTaxed ? got : (bought.amount ?? 0n) },
  }
}

function hasFlows({ owner, sold, bought }: OrderTold, receipt: Receipt): boolean {
  const { nets, logsCoins, signer, value } = receipt
  if (nets.hasItems(owner) || isIncredible(owner, receipt)) return false
  if (sold.amount === null || bought.amount === null) return false
  const coins = logsCoins ? nets.coins(owner) : owner === signer ? -value : 0n
  const gave = sold.native ? coins : nets.of(owner, sold.token)
  const got = bought.native ? (logsCoins ? nets.coins(owner) : 0n) : nets.of(owner, bought.token)
  return gave < 0n && got >= 0n
}

function orderOf(account: string, isTaker: boolean, receipt: Receipt): Order[] {
  const { logsCoins, nets, deposits, withdrawals, value, wrappedNative: token } = receipt
  if (nets.hasItems(account) || isIncredible(account, receipt)) return []
  const [wrapped, more] = deposits
  const isPaid = isTaker && wrapped && !more && withdrawals.length === 0 && wrapped.amount <= value
  const coins = isPaid ? [{ token, amount: -wrapped.amount, native: true }] : []
  const flows = logsCoins ? loggedFlows(account, receipt) : [...tokenFlows(account, receipt), ...coins]
  const pair = pairOf(account, flows)
  const named = isTaker ? null : account
  return pair === null ? [] : [{ owner: account, account: named, isTold: false, sold: pair.out, bought: pair.in }]
}

/** Returns the orders of accounts that each gave one token and got the coins of a withdrawal. */
function coinOrders(
  accounts: readonly string[],
  byNets: readonly Order[],
  { makers, taker }: Named,
  boughtBy: (account: string) => ReadonlySet<string>,
  hops: readonly Hop[],
  receipt: Receipt,
): Order[] {
  const { nets, withdrawals, deposits, moves, value, logsCoins, wrappedNative: token } = receipt
  if (logsCoins || deposits.length > 0 || value >= DUST) return []
  const sales = accounts.flatMap((account) => {
    const [sold, ...others] = nets.tokens(account)
    if (sold === undefined || sold.net >= 0n || others.length > 0 || sold.token === token) return []
    if (nets.hasItems(account) || isIncredible(account, receipt)) return []
    const bought = boughtBy(account)
    if (bought.size > 0 && !bought.has(token)) return []
    const first = moves.find((move) => move.from === account && move.token === sold.token)?.logIndex ?? Infinity
    return [{ account, sold: { token: sold.token, amount: -sold.net, native: false }, first }]
  })
  if (sales.length !== withdrawals.length) return []
  const areMakers = sales.every(({ account }) => makers.has(account))
  const paid = new Map<string, bigint>()
  for (const { amount, logIndex } of withdrawals) {
    const open = sales.filter(({ account, first }) => !paid.has(account) && (first < logIndex || sales.length === 1))
    const [last, another] = open.toSorted((a, b) => b.first - a.first)
    if (last === undefined || (another !== undefined && !areMakers)) return []
    paid.set(last.account, amount)
  }
  const orders = sales.map(({ account, sold }): Order => {
    const bought = { token, amount: paid.get(account) ?? 0n, native: true }
    return {
      owner: account,
      account: account === taker ? null : account,
      isTold: false,
      isUnwrapped: true,
      sold,
      bought,
    }
  })
  const ends = [...byNets, ...orders].flatMap(({ sold, bought }) => [
    sold.token,
    ...(bought.native ? [] : [bought.token]),
  ])
  const isPool = (account: string) => hops.some(({ pool }) => pool.address === account)
  const payees = nets.accounts().filter((account) => account !== BURNT[0] && !isPool(account))
  const isPaidElse = moves.some(
    ({ token: moved }) => !ends.includes(moved) && payees.some((account) => nets.of(account, moved) > 0n),
  )
  if (hops.length === 0) return isPaidElse ? [] : orders
  return orders.map((order) => ({ ...order, needsHops: isPaidElse }))
}

/** Returns whether hops took or gave more than twice the order's amounts, as somebody else's trade does. */
function isExceeded(order: Order, shares: readonly Share[]): boolean {
  if (shares.length === 0) return false
  const { sold, bought } = order
  const { sell, buy } = rowOf(order, shares, []).row.through
  const isMoreThanTwice = (pools: Leg, own: Leg) => pools.token === own.token && pools.amount > 2n * own.amount
  return isMoreThanTwice(sell, sold) || isMoreThanTwice(buy, bought)
}

/**
 * Returns whether the hops are one trade of what the order sold, at most twice as much. If it leads to the wrapper, it
 * gave about the order's coins.
 */
function isPaidByHops({ sold, bought }: Order, shares: readonly Share[]): boolean {
  const [trade, another] = tradesThroughPools(partsOf(shares))
  if (trade === undefined || another !== undefined || trade.sold.token !== sold.token) return false
  const isNear = trade.bought.token !== bought.token || areNear(bought.amount, trade.bought.amount)
  return trade.sold.amount <= 2n * sold.amount && isNear
}

/** Shares hops, at most ten times, until no order has to be left out. */
function ownShares(candidates: readonly Order[], hops: readonly Hop[], isAlone: boolean) {
  const unpaid = new Set<Order>()
  let served = candidates
  let shares = sharesOf(candidates, hops, isAlone)
  for (let left = 9; ; left--) {
    const sharesFor = (order: Order) => shares.get(order) ?? []
    const rest = served.filter((order) =>
      order.isUnwrapped ? isPaidByHops(order, sharesFor(order)) : !isExceeded(order, sharesFor(order)),
    )
    const out = served.filter((order) => !rest.includes(order))
    for (const order of out) if (order.isUnwrapped && sharesFor(order).length > 0) unpaid.add(order)
    if (out.length === 0) return { served, shares, unpaid }
    served = left > 0 ? rest : []
    shares = sharesOf(served, hops)
  }
}

/** Replaces an end that only its own token's events show by the pools' end. */
function shownRow({ row, firstLog }: OrderRow, isUnwrapped: boolean, told: ToldTokens, receipt: Receipt): OrderRow {
  const { sell, buy, through } = row
  const sold = evidenceOf('sell', sell, through.sell, told, receipt)
  const bought = evidenceOf('buy', buy, through.buy, told, receipt)
  const open = [...(sold === 'listed' ? (['sell'] as const) : []), ...(bought === 'listed' ? (['buy'] as const) : [])]
  const evidence = { sell: sold, buy: bought }
  const sides = ['sell', 'buy'] as const
  const isShown = sides.every((side) => isUnwrapped || evidence[side] === 'pools' || evidence[side] === 'wrapped')
  const accountEnds = sides.filter((side) => evidence[side] !== null)
  return {
    firstLog,
    row: {
      ...row,
      sell: sold === null ? through.sell : sell,
      buy: bought === null ? through.buy : buy,
      isPartial: sold === null || bought === null,
      ...(open.length > 0 && { endsToCompare: open }),
      ...(!isShown && { accountEnds }),
    },
  }
}

/** Returns the order with the largest part of the hop's input. The first wins a tie. */
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
  const parts = partsOf(shares)
  const ends = { sell: sold, buy: bought }
  const byPools = shares.length === 0 ? { through: ends } : { through, routes: [{ through, hops: parts }] }
  return {
    firstLog: first?.hop.logIndex ?? null,
    row: { hops, shape: 'route', ...byPools, settledFor: account, isPartial: false, ...ends },
  }
}

function partsOf(shares: readonly Share[]): Hop[] {
  return shares.map(({ hop, amountIn, amountOut }) => ({ ...hop, amountIn, amountOut }))
}
