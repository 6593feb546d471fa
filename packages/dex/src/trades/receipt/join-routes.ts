import { MAX_UINT256 } from '../../abi/words.ts'
import type { Transaction } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import { type ReadonlyTotals, Totals } from '../../totals.ts'
import { areFar } from '../routes.ts'
import type { Leg, PoolTrade } from '../trade.ts'
import { hasIncredible, type Ledger } from './ledger.ts'
import { totalOf } from './receipt-flows.ts'

interface JoinFacts {
  transaction: Transaction
  ledger: Ledger
  principals: readonly Address[]
}

/** A fee is at most this part (1/20) of the amount that it is taken from. */
const FEE_DIVISOR = 20n

/**
 * Joins the trades that are one trade of the account:
 *
 * - If the account gave one token for one other token, that is one trade, even if parts went through other tokens. The
 *   account's amounts must match the pools' price.
 * - A small part that is swapped into a token of which the account received none is a fee of the trade that it was
 *   taken from.
 */
export function joinRoutes(trades: readonly PoolTrade[], facts: JoinFacts): readonly PoolTrade[] {
  const account = facts.principals[0] ?? facts.transaction.from
  if (trades.length < 2 || facts.principals.length > 1 || account === null || facts.ledger.flows.changesLiquidity)
    return trades
  const { tokens, isUnclear, coins } = facts.ledger.of(account)
  // Coins and their wrapper count as one token here.
  const nets = coins === undefined ? tokens : withCoins(tokens, facts.ledger.wrappedNative, coins)
  if (isUnclear || hasIncredible(nets.values())) return trades
  return joinExchange(trades, account, nets, facts) ?? joinFees(trades, nets, coins !== undefined)
}

function withCoins(tokens: ReadonlyTotals<Address>, wrappedNative: Address, coins: bigint): ReadonlyTotals<Address> {
  const nets = new Totals(tokens)
  if (nets.add(wrappedNative, coins) === 0n) nets.delete(wrappedNative)
  return nets
}

/** Returns null unless the account gave one token for one, a trade has these two, and another one is part of it. */
function joinExchange(
  trades: readonly PoolTrade[],
  account: Address,
  nets: ReadonlyMap<Address, bigint>,
  { transaction, ledger: { flows, wrappedNative } }: JoinFacts,
): PoolTrade[] | null {
  const withdrawn = totalOf(flows.withdrawals)
  const sold = [...nets].filter(([, net]) => net < 0n).map(([token, net]): [Address, bigint] => [token, -net])
  if (flows.coins === undefined && account === transaction.from && transaction.value > withdrawn) {
    sold.push([wrappedNative, transaction.value - withdrawn])
  }
  const bought = [...nets].filter(([, net]) => net > 0n)
  const out = sold[0]
  const into = bought[0]
  if (out === undefined || into === undefined || sold.length + bought.length > 2) return null
  const [[sell, gave], [buy, got]] = [out, into]
  const main = trades.find((trade) => trade.sell.token === sell && trade.buy.token === buy)
  if (main === undefined || areFar(gave * main.buy.amount, got * main.sell.amount)) return null
  const parts = trades.filter(
    (trade) =>
      trade !== main &&
      trade.buy.token !== sell &&
      [sell, buy].some((end) => trade.sell.token === end || trade.buy.token === end),
  )
  const joined = parts.length === 0 ? null : joinedTo(main, parts)
  if (joined === null) return null
  const soldByOne = main.sell.amount
  const boughtByOne = main.buy.amount
  const isFarther = isNearer(gave, soldByOne, joined.sell.amount) || isNearer(got, boughtByOne, joined.buy.amount)
  const isNear = isNearer(gave, joined.sell.amount, soldByOne) || isNearer(got, joined.buy.amount, boughtByOne)
  if (isFarther || !isNear) return null
  return inOrder([joined, ...trades.filter((trade) => trade !== main && !parts.includes(trade))])
}

/** @param areCoinsKnown whether the net of the wrapped coin includes all coin transfers */
function joinFees(
  trades: readonly PoolTrade[],
  nets: ReadonlyTotals<Address>,
  areCoinsKnown: boolean,
): readonly PoolTrade[] {
  const isUnknown = ({ native }: Leg) => native && !areCoinsKnown
  const isHeld = ({ sell, buy }: PoolTrade) =>
    (isUnknown(sell) || nets.of(sell.token) < 0n) && (isUnknown(buy) || nets.of(buy.token) > 0n)
  // The largest trade of each token that an account gave or received for another.
  const mains = new Map<Address, { trade: PoolTrade; amount: bigint }>()
  for (const trade of trades.filter(isHeld)) {
    for (const { token, amount } of [trade.sell, trade.buy]) {
      const main = mains.get(token)
      if (main === undefined ? amount > 0n : amount > main.amount) mains.set(token, { trade, amount })
    }
  }
  const mainOf = new Map<PoolTrade, PoolTrade>()
  for (const fee of trades) {
    const main = mains.get(fee.sell.token)
    if (main === undefined || main.trade === fee || fee.sell.amount * FEE_DIVISOR > main.amount) continue
    if (nets.of(fee.buy.token) !== 0n) continue
    const end = main.trade.sell.token === fee.sell.token ? main.trade.sell : main.trade.buy
    if (isUnknown(end) || isTakenFrom(main.trade, fee.sell, nets.of(fee.sell.token))) mainOf.set(fee, main.trade)
  }
  const feesOf = new Map<PoolTrade, PoolTrade[]>()
  for (const [fee, main] of mainOf) {
    // A fee itself has no fees.
    if (!mainOf.has(main)) feesOf.set(main, [...(feesOf.get(main) ?? []), fee])
  }
  if (feesOf.size === 0) return trades
  const gone = new Set([...feesOf].flatMap(([main, fees]) => [main, ...fees]))
  const joined = [...feesOf].flatMap(([main, fees]) => joinedTo(main, fees) ?? [main, ...fees])
  return inOrder([...joined, ...trades.filter((trade) => !gone.has(trade))])
}

/** Whether the account's net is nearer to the trade's amount with the fee than without it. */
function isTakenFrom({ sell, buy }: PoolTrade, fee: Leg, net: bigint): boolean {
  const isSold = sell.token === fee.token
  const { amount } = isSold ? sell : buy
  return isNearer(net < 0n ? -net : net, isSold ? amount + fee.amount : amount - fee.amount, amount)
}

function isNearer(target: bigint, each: bigint, other: bigint): boolean {
  const distance = (amount: bigint) => (amount < target ? target - amount : amount - target)
  return distance(each) < distance(other)
}

/** Returns a trade with its parts; null if they consumed all that it bought, or an amount exceeds a uint256. */
function joinedTo(main: PoolTrade, parts: readonly PoolTrade[]): PoolTrade | null {
  const sum = (side: 'sell' | 'buy', { token }: Leg) =>
    parts.reduce((total, part) => (part[side].token === token ? total + part[side].amount : total), 0n)
  const bought = main.buy.amount + sum('buy', main.buy) - sum('sell', main.buy)
  const sold = main.sell.amount + sum('sell', main.sell)
  if (bought <= 0n || bought > MAX_UINT256 || sold > MAX_UINT256) return null
  // What a part sells of the bought token passed through another one.
  const all = inOrder([
    main,
    ...parts.map((part): PoolTrade => (part.sell.token === main.buy.token ? { ...part, isPassedOn: true } : part)),
  ])
  return {
    sell: { ...main.sell, amount: sold },
    buy: { ...main.buy, amount: bought },
    hops: all.flatMap(({ hops }) => hops).sort((a, b) => a.logIndex - b.logIndex),
    routes: all,
  }
}

/** By their first hops. */
function inOrder(trades: PoolTrade[]): PoolTrade[] {
  // What has no hop comes first.
  const firstLog = ({ hops }: PoolTrade) => hops[0]?.logIndex ?? 0
  return trades.sort((a, b) => firstLog(a) - firstLog(b))
}
