import { MAX_UINT256 } from '../../abi/words.ts'
import type { Address, Transaction } from '../../chain.ts'
import { absolute } from '../../maths/integers.ts'
import { Groups, type ReadonlyTotals, Totals } from '../../totals.ts'
import { differByFifth, FEE_DIVISOR } from '../routes.ts'
import type { EndSide, Leg, PoolTrade } from '../trade.ts'
import { hasIncredible, type Ledger } from './ledger.ts'

interface JoinFacts {
  transaction: Transaction
  ledger: Ledger
  principals: readonly Address[]
}

/**
 * Joins trades that are one trade of the account: the parts of its single exchange, or fees that were swapped
 * (docs/internals/trades.md, 19).
 */
export function joinRoutes(trades: readonly PoolTrade[], facts: JoinFacts): readonly PoolTrade[] {
  const account = facts.principals[0] ?? facts.transaction.from
  if (trades.length < 2 || facts.principals.length > 1 || account === null || facts.ledger.flows.changesLiquidity)
    return trades
  const { tokens, isUnclear, coins } = facts.ledger.of(account)
  const nets = coins === undefined ? tokens : withCoins(tokens, facts.ledger.wrappedNative, coins)
  if (isUnclear || hasIncredible(nets.values())) return trades
  return joinExchange(trades, account, nets, facts) ?? joinFees(trades, nets, coins !== undefined)
}

function withCoins(tokens: ReadonlyTotals<Address>, wrappedNative: Address, coins: bigint): ReadonlyTotals<Address> {
  const nets = new Totals(tokens)
  if (nets.add(wrappedNative, coins) === 0n) nets.delete(wrappedNative)
  return nets
}

/**
 * Joins the parts of an exchange. Returns null unless the account gave one token for another, and some trade of these
 * two tokens has others as its parts.
 */
function joinExchange(
  trades: readonly PoolTrade[],
  account: Address,
  nets: ReadonlyMap<Address, bigint>,
  { transaction, ledger }: JoinFacts,
): PoolTrade[] | null {
  const { flows, wrappedNative, unwrapped } = ledger
  const sold = [...nets].filter(([, net]) => net < 0n).map(([token, net]): [Address, bigint] => [token, -net])
  if (flows.coins === undefined && account === transaction.from && transaction.value > unwrapped) {
    sold.push([wrappedNative, transaction.value - unwrapped])
  }
  const bought = [...nets].filter(([, net]) => net > 0n)
  const [out] = sold
  const [into] = bought
  if (out === undefined || into === undefined || sold.length + bought.length > 2) return null
  const [sell, gave] = out
  const [buy, got] = into
  const main = trades.find((trade) => trade.sell.token === sell && trade.buy.token === buy)
  if (main === undefined || differByFifth(gave * main.buy.amount, got * main.sell.amount)) return null
  const parts = trades.filter(
    (trade) =>
      trade !== main &&
      trade.buy.token !== sell &&
      [sell, buy].some((end) => trade.sell.token === end || trade.buy.token === end),
  )
  const joined = parts.length === 0 ? null : joinedTo(main, parts)
  if (joined === null) return null
  const isCloser = (a: PoolTrade, b: PoolTrade) =>
    isNearer(gave, a.sell.amount, b.sell.amount) || isNearer(got, a.buy.amount, b.buy.amount)
  if (isCloser(main, joined) || !isCloser(joined, main)) return null
  return inOrder([joined, ...trades.filter((trade) => trade !== main && !parts.includes(trade))])
}

/**
 * Joins trades that swap a fee to the trades that paid it.
 *
 * @param areCoinsKnown the net of the wrapped coin includes all coin transfers
 */
function joinFees(
  trades: readonly PoolTrade[],
  nets: ReadonlyTotals<Address>,
  areCoinsKnown: boolean,
): readonly PoolTrade[] {
  const isUnknown = ({ native }: Leg) => native && !areCoinsKnown
  const isHeld = ({ sell, buy }: PoolTrade) =>
    (isUnknown(sell) || nets.of(sell.token) < 0n) && (isUnknown(buy) || nets.of(buy.token) > 0n)
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
  const feesOf = new Groups<PoolTrade, PoolTrade>()
  for (const [fee, main] of mainOf) if (!mainOf.has(main)) feesOf.add(main, fee)
  if (feesOf.size === 0) return trades
  const gone = new Set([...feesOf].flatMap(([main, fees]) => [main, ...fees]))
  const joined = [...feesOf].flatMap(([main, fees]) => joinedTo(main, fees) ?? [main, ...fees])
  return inOrder([...joined, ...trades.filter((trade) => !gone.has(trade))])
}

function isTakenFrom({ sell, buy }: PoolTrade, fee: Leg, net: bigint): boolean {
  const isSold = sell.token === fee.token
  const { amount } = isSold ? sell : buy
  return isNearer(absolute(net), isSold ? amount + fee.amount : amount - fee.amount, amount)
}

function isNearer(target: bigint, a: bigint, b: bigint): boolean {
  return absolute(target - a) < absolute(target - b)
}

/**
 * Returns the joined trade, or null if the parts consumed everything that was bought, or an amount exceeds a uint256.
 */
function joinedTo(main: PoolTrade, parts: readonly PoolTrade[]): PoolTrade | null {
  const sum = (side: EndSide, { token }: Leg) =>
    parts.reduce((total, part) => (part[side].token === token ? total + part[side].amount : total), 0n)
  const bought = main.buy.amount + sum('buy', main.buy) - sum('sell', main.buy)
  const sold = main.sell.amount + sum('sell', main.sell)
  if (bought <= 0n || bought > MAX_UINT256 || sold > MAX_UINT256) return null
  // A part that sells the bought token passes it on.
  const routes = inOrder([
    main,
    ...parts.map((part): PoolTrade => (part.sell.token === main.buy.token ? { ...part, isPassedOn: true } : part)),
  ])
  return {
    sell: { ...main.sell, amount: sold },
    buy: { ...main.buy, amount: bought },
    hops: routes.flatMap(({ hops }) => hops).sort((a, b) => a.logIndex - b.logIndex),
    routes,
  }
}

function inOrder(trades: PoolTrade[]): PoolTrade[] {
  // Trades without hops come first.
  const firstLog = ({ hops }: PoolTrade) => hops[0]?.logIndex ?? 0
  return trades.sort((a, b) => firstLog(a) - firstLog(b))
}
