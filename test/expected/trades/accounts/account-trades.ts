import type { Leg, LeggedTrade } from '../legs.ts'
import { type Receipt, WORD } from '../receipt/receipt.ts'
import type { OrderTold } from '../receipt/settlements.ts'
import { coinBought, coinSold } from './coin-ends.ts'
import { type Accounted, amountBought, amountSold, type End } from './ends.ts'
import { evidenceOf, isWrapped } from './evidence.ts'
import { isIncredible, magnitude, type OneForOne, oneForOne, type Parties } from './flows.ts'
import { areNear } from './joined.ts'
import { onlyWithdrawal } from './only-withdrawal.ts'

export interface EndedTrade extends LeggedTrade {
  sell: Leg
  buy: Leg
  settledFor: string | null
  /** The account netted another token, or neither end can be compared with the hops. */
  isPartial: boolean
  endsToCompare?: readonly Side[]
  /** The ends that show the account, unless both do. */
  accountEnds?: readonly Side[]
}

type Side = 'sell' | 'buy'
const SIDES: readonly Side[] = ['sell', 'buy']

interface Context extends Parties {
  flows: OneForOne | null
  trades: readonly LeggedTrade[]
  receipt: Receipt
  whole: Receipt
}

/** @param whole the receipt with income */
export function tradesOfAccounts(
  trades: readonly LeggedTrade[],
  parties: Parties,
  receipt: Receipt,
  whole: Receipt,
): EndedTrade[] {
  const flows = oneForOne(trades, parties, receipt)
  const ends = flows === null ? null : endsByFlows(flows, trades)
  const alone = ends === null ? null : byFlows(ends, trades, parties, receipt, whole)
  if (alone !== null && alone !== 'forged') return [alone]
  const isMoved = ends !== null && endsMoved(ends.flows.account, ends.through, trades, parties, receipt).length > 0
  const context = { ...parties, flows: isMoved ? flows : null, receipt, trades, whole }
  const accounted = trades.map((trade): Accounted => {
    const account = accountOf(trade, trades, parties, receipt)
    return { trade, account, ...withForms(trade, account, context) }
  })
  const rows = accounted.map((each) => rowOf(each, accounted, context))
  return alone === 'forged' ? rows.map((row) => ({ ...row, isPartial: true })) : rows
}

interface EndsByFlows {
  flows: OneForOne
  sells: readonly LeggedTrade[]
  buys: readonly LeggedTrade[]
  isOneTrade: boolean
  through: LeggedTrade['through']
}

/** Returns what went through the pools of a row of these flows. */
function endsByFlows(flows: OneForOne, trades: readonly LeggedTrade[]): EndsByFlows | null {
  const sells = trades.filter(({ through }) => through.sell.token === flows.out.token)
  const buys = trades.filter(({ through }) => through.buy.token === flows.in.token)
  const [first, last] = [sells[0] ?? trades[0], buys.at(-1) ?? trades.at(-1)]
  if (!first || !last) return null
  const [tookAll, gaveAll] = [sumOf(sells, 'sell'), sumOf(buys, 'buy')]
  const through = {
    sell: { ...first.through.sell, amount: tookAll === 0n || tookAll > WORD ? first.through.sell.amount : tookAll },
    buy: { ...last.through.buy, amount: gaveAll === 0n || gaveAll > WORD ? last.through.buy.amount : gaveAll },
  }
  return { flows, sells, buys, isOneTrade: first === last, through }
}

/**
 * Returns the single row of an account whose flows are one trade, or 'forged' if the account could have made up all
 * evidence of a flow.
 */
function byFlows(
  { flows, sells, buys, isOneTrade, through }: EndsByFlows,
  trades: readonly LeggedTrade[],
  parties: Parties,
  receipt: Receipt,
  whole: Receipt,
): EndedTrade | 'forged' | null {
  const { named, told } = parties
  const { account, out, in: into } = flows
  if (sells.some((trade) => buys.includes(trade))) return null
  const sold = evidenceOf('sell', out, through.sell, told, receipt)
  const bought = evidenceOf('buy', into, through.buy, told, receipt)
  if (sold === null || bought === null) return 'forged'
  const wrapped = SIDES.filter((side) => (side === 'sell' ? sold : bought) === 'wrapped')
  const shown = [...endsMoved(account, through, trades, parties, receipt), ...wrapped]
  if (shown.length === 0 && sold !== 'told' && bought !== 'told') return null
  const isOpen = (evidence: string) => evidence === 'listed' || (evidence === 'pools' && !isOneTrade)
  const open = [...(isOpen(sold) ? (['sell'] as const) : []), ...(isOpen(bought) ? (['buy'] as const) : [])]
  const row: EndedTrade = {
    hops: trades.flatMap(({ hops }) => hops).toSorted((a, b) => a.logIndex - b.logIndex),
    shape: 'route',
    through,
    ...(open.length > 0 && { endsToCompare: open }),
    ...worthOf(trades, sells, buys, sumOf(sells, 'sell') * into.amount > sumOf(buys, 'buy') * out.amount),
    sell: out,
    buy: into,
    settledFor: named.has(account) ? account : null,
    isPartial: sold === 'told' && bought === 'told',
  }
  return withAccountEnds(row, shown, whole)
}

function sumOf(trades: readonly LeggedTrade[], side: 'sell' | 'buy'): bigint {
  return trades.reduce((sum, { through }) => sum + through[side].amount, 0n)
}

/** Values a row of several routes by those that sell the row's sold token, or by those that buy its bought token. */
function worthOf(
  trades: readonly LeggedTrade[],
  sells: readonly LeggedTrade[],
  buys: readonly LeggedTrade[],
  isBySells: boolean,
): Pick<LeggedTrade, 'routes'> {
  if (trades.length === 1) return trades[0]?.routes ? { routes: trades[0].routes } : {}
  if (sells.length < 2 && buys.length < 2) return {}
  const counting = isBySells ? sells : buys
  const routes = trades.flatMap((trade) => {
    const own = trade.routes ?? [trade]
    return counting.includes(trade) ? own : own.map((route) => ({ ...route, isPassedOn: true }))
  })
  return { routes }
}

/** Returns the signer, or an account that a settlement named. Null if unknown. */
function accountOf(
  { through }: LeggedTrade,
  all: readonly LeggedTrade[],
  parties: Parties,
  receipt: Receipt,
): string | null {
  const { signer } = receipt
  const { named } = parties
  const { sell, buy } = through
  if (named.size === 0) return signer
  const holds = (account: string) =>
    !(sell.native && buy.native) &&
    (hasSign(sell, -1n, account, receipt) ?? true) &&
    (hasSign(buy, 1n, account, receipt) ?? true)
  const [holder, another] = [...named].filter(holds)
  if (another !== undefined) return null
  const isMover = (account: string) => endsMoved(account, through, all, parties, receipt).length > 0
  if (holder !== undefined && isMover(holder)) return holder
  if (signer !== null && holds(signer)) return signer
  const [only] = named
  return named.size === 1 && only !== undefined && isMover(only) ? only : null
}

/**
 * Returns the ends of which the account moved at least half of what all trades moved, as its nets or its orders show. None
 * if it moved less of an end.
 */
function endsMoved(
  account: string,
  through: LeggedTrade['through'],
  all: readonly LeggedTrade[],
  { operator, orders }: Parties,
  receipt: Receipt,
): readonly Side[] {
  const { nets, signer, logsCoins, wrappedNative } = receipt
  if ([signer, operator].includes(account)) return SIDES
  const shares = SIDES.map((side) => {
    const { token } = through[side]
    const told = orders
      .filter(({ owner, payer }) => account === (side === 'sell' ? (payer ?? owner) : owner))
      .map((order) => (side === 'sell' ? order.sold : order.bought))
      .reduce((sum, leg) => sum + (leg.token === token ? (leg.amount ?? 0n) : 0n), 0n)
    const flows = [nets.of(account, token), ...(logsCoins && token === wrappedNative ? [nets.coins(account)] : [])]
    const amounts = [told, ...flows.map((net) => (side === 'sell' ? -net : net))].filter((amount) => amount > 0n)
    const whole = sumOf(
      all.filter((trade) => trade.through[side].token === token),
      side,
    )
    return { side, hasPart: amounts.length > 0, isHalf: amounts.some((amount) => 2n * amount >= whole) }
  })
  if (shares.some(({ hasPart, isHalf }) => hasPart && !isHalf)) return []
  return shares.filter(({ hasPart }) => hasPart).map(({ side }) => side)
}

/** Returns the row with the ends that show its account, unless both do. Who only gave tokens was paid elsewhere. */
function withAccountEnds(row: EndedTrade, shown: readonly Side[], { nets }: Receipt): EndedTrade {
  const { settledFor, through } = row
  if (settledFor === null || SIDES.every((side) => shown.includes(side))) return row
  if (shown.includes('sell') && !nets.tokens(settledFor).some(({ net }) => net > 0n)) return row
  const accountEnds = SIDES.filter((side) => shown.includes(side) || row[side].token !== through[side].token)
  return { ...row, accountEnds }
}

/**
 * Returns whether the account's net amount of the leg's token has this sign. Null if unknown, which happens for coins.
 */
function hasSign({ token, native }: Leg, sign: bigint, account: string | null, receipt: Receipt): boolean | null {
  const { nets, logsCoins, wrappedNative } = receipt
  if (logsCoins && token === wrappedNative) {
    return sign * nets.coins(account) > 0n || sign * nets.wrapped(account) > 0n
  }
  return native ? null : sign * nets.of(account, token) > 0n
}

function withForms(trade: LeggedTrade, account: string | null, context: Context): { sell: Leg; buy: Leg } {
  const { sell, buy } = trade.through
  const { flows, receipt } = context
  const { wrappedNative } = receipt
  const isSold = sell.token === wrappedNative && flows?.out.token === wrappedNative ? flows.out.native : sell.native
  return {
    sell: { ...sell, native: isSold },
    buy: { ...buy, native: buy.token === wrappedNative && isCoinBought(trade, account, context) },
  }
}

function isCoinBought(
  { hops, through: { buy } }: LeggedTrade,
  account: string | null,
  { flows, receipt }: Context,
): boolean {
  const { wrappedNative, nets, moves } = receipt
  if (flows?.in.token === wrappedNative) return flows.in.native
  if (nets.wrapped(account) > 0n) return false
  if (buy.native) return true
  const last = hops.filter(({ tokenOut }) => tokenOut === wrappedNative)
  const paid = moves.filter(({ token }) => token === wrappedNative)
  return (
    last.length > 0 &&
    last.every(({ pool }) => pool.kind === 'curve') &&
    !last.some((hop) => paid.some(({ from, amount }) => from === hop.pool.address || amount === hop.amountOut))
  )
}

function isUnclear(account: string | null, receipt: Receipt): boolean {
  return receipt.nets.hasItems(account) || isIncredible(account, receipt)
}

function rowOf(accounted: Accounted, all: readonly Accounted[], context: Context): EndedTrade {
  const { trade, account, sell, buy } = accounted
  const { named, venues, receipt } = context
  const { nets, wrappedNative, logsCoins } = receipt
  const others = all.filter((other) => other !== accounted)
  const elsewhere = (token: string) => others.some((other) => [other.sell.token, other.buy.token].includes(token))
  const isEnd = (token: string) => [sell.token, buy.token].includes(token) || elsewhere(token)

  const strays = nets.tokens(account).filter(({ token }) => !isEnd(token))
  const signs = { sell: hasSign(sell, -1n, account, receipt), buy: hasSign(buy, 1n, account, receipt) }
  const wrapperOf = (side: 'sell' | 'buy', pools: Leg): Leg | null => {
    if (account === null || signs[side] !== false || elsewhere(pools.token)) return null
    if (receipt.changesLiquidity || isUnclear(account, receipt)) return null
    const ends = strays.map(({ token, net }) => ({ token, amount: side === 'sell' ? -net : net, native: false }))
    const found = ends.filter((end) => end.amount > 0n && isWrapped(side, end, pools, receipt))
    return found.length === 1 ? (found[0] ?? null) : null
  }
  const wrappers = { sell: wrapperOf('sell', trade.through.sell), buy: wrapperOf('buy', trade.through.buy) }
  const hasPart = {
    sell: wrappers.sell === null ? signs.sell : true,
    buy: wrappers.buy === null ? signs.buy : true,
  }
  const isAgainst = ({ token }: Leg, sign: bigint) => !elsewhere(token) && sign * nets.of(account, token) < 0n
  const isPartial =
    (hasPart.sell === false && (strays.some(({ net }) => net < 0n) || isAgainst(sell, -1n))) ||
    (hasPart.buy === false && (strays.some(({ net }) => net > 0n) || isAgainst(buy, 1n)))
  const settledFor = account !== null && named.has(account) ? account : null
  const row = { ...trade, sell, buy, isPartial, settledFor }

  const isClear = !isUnclear(account, receipt)
  const isAll = strays.length === 0 && isClear
  const end = (leg: Leg): End => ({
    leg,
    account,
    venues,
    receipt,
    isAll,
    isClear,
    isOnly: !elsewhere(leg.token),
    gaveOthers: strays.some(({ net }) => net < 0n),
    hasOther: (leg === sell ? hasPart.buy : hasPart.sell) !== false,
  })
  if (logsCoins && sell.token === wrappedNative) row.sell = coinSold(end(sell), context.flows, trade.through.sell)
  else row.sell = { ...sell, amount: coinsSold(row, end(sell), context.orders) ?? amountSold(end(sell)) }
  if (logsCoins && buy.token === wrappedNative) row.buy = coinBought(end(buy), context.flows)
  else row.buy = { ...buy, amount: amountBought(end(buy)) }
  if (!logsCoins && row.buy.native) {
    const orders = toldOf(account, row, context.orders, 'bought')
    const told = sumTold(orders, 'bought', buy.amount, !elsewhere(buy.token))
    const paid = told ?? onlyWithdrawal({ ...accounted, ...end(buy), named })
    if (paid !== null) row.buy = { ...row.buy, amount: paid }
  }
  if (wrappers.sell !== null) row.sell = wrappers.sell
  else if (isLessThanPools(row.sell, sell, receipt)) {
    row.sell = { ...row.sell, amount: sell.amount }
  }
  if (wrappers.buy !== null) row.buy = wrappers.buy
  else if (receipt.withdrawsLiquidity && row.buy.amount > buy.amount) row.buy = { ...row.buy, amount: buy.amount }
  if (settledFor === null) return row
  const moved = endsMoved(settledFor, trade.through, context.trades, context, receipt)
  const shown = [...moved, ...SIDES.filter((side) => wrappers[side] !== null)]
  return withAccountEnds(row, shown, context.whole)
}

function isLessThanPools(sold: Leg, pools: Leg, { withdrawsLiquidity, logsCoins, wrappedNative }: Receipt): boolean {
  const isLogged = logsCoins && sold.token === wrappedNative
  return withdrawsLiquidity && !sold.native && !isLogged && sold.amount < pools.amount
}

function toldOf(
  account: string | null,
  { sell, buy }: Pick<EndedTrade, 'sell' | 'buy'>,
  orders: readonly OrderTold[],
  side: 'sold' | 'bought',
): OrderTold[] {
  const other = side === 'sold' ? buy.token : sell.token
  return orders.filter((order) => {
    const isOf = account !== null && [order.owner, order.payer].includes(account)
    return isOf && order[side].native && order[side === 'sold' ? 'bought' : 'sold'].token === other
  })
}

function sumTold(
  orders: readonly OrderTold[],
  side: 'sold' | 'bought',
  byPools: bigint,
  isOnly: boolean,
): bigint | null {
  const amounts = orders.map((order) => order[side].amount)
  const sum = amounts.reduce<bigint>((all, amount) => all + (amount ?? 0n), 0n)
  if (amounts.length === 0 || amounts.includes(null) || sum > WORD) return null
  return (isOnly && amounts.length === 1) || areNear(sum, byPools) ? sum : null
}

/** Returns the coins sold, as events state them or, if a router kept a fee, as they were sent. Null otherwise. */
function coinsSold(
  row: Pick<EndedTrade, 'sell' | 'buy'>,
  { leg, account, isOnly, receipt }: End,
  orders: readonly OrderTold[],
) {
  const { signer, value } = receipt
  if (!leg.native || account === null) return null
  const told = toldOf(account, row, orders, 'sold')
  const sum = sumTold(told, 'sold', leg.amount, isOnly)
  const isIndirect = account === signer && told.some(({ payer }) => payer !== null && payer !== signer)
  if (sum !== null && !(isIndirect && isFee(value, sum))) return sum
  return isOnly && account === signer && isFee(value, sum ?? leg.amount) ? value : null
}

function isFee(value: bigint, used: bigint): boolean {
  const fee = value - used
  if (fee <= 0n || 20n * fee > value || value < 10n ** 12n) return false
  // Whether the fee is within a wei of a whole number of 100,000ths.
  const isPart = (whole: bigint) => {
    const near = (100_000n * fee) / whole
    return [near, near + 1n].some((parts) => parts > 0n && magnitude(100_000n * fee - parts * whole) < 100_000n)
  }
  return isPart(value) || (value % 10n ** 9n === 0n && isPart(used))
}
