import { type Leg, type LeggedTrade, total } from './legs.ts'
import { type OneForOne, oneForOne } from './one-for-one.ts'
import { isToken, keepersOf, type Receipt } from './receipt.ts'

/** A trade with the ends that the account gave and got. */
export interface EndedTrade extends LeggedTrade {
  sell: Leg
  buy: Leg
  settledFor: string | null
  /** The account gave or got another token than the ends say. */
  isPartial: boolean
}

interface Accounted {
  trade: LeggedTrade
  account: string | null
  /** Its own nets. */
  nets: ReadonlyMap<string, bigint>
  sell: Leg
  buy: Leg
}

/** The rows of the trader's own trades. @param named by settlements; @param venues where trades are made */
export function endsOf(
  trades: readonly LeggedTrade[],
  named: ReadonlySet<string>,
  venues: ReadonlySet<string>,
  receipt: Receipt,
): EndedTrade[] {
  const flows = oneForOne(trades, named, venues, receipt)
  const alone = flows === null ? null : byFlows(flows, trades, named)
  if (alone !== null) return [alone]
  const accounted = trades.map((trade): Accounted => {
    const account = accountOf(trade, named, receipt)
    const nets = (account === null ? undefined : receipt.nets.get(account)) ?? new Map<string, bigint>()
    const { sell, buy } = trade.through
    return {
      ...{ trade, account, nets },
      sell: { ...sell, native: isCoinSold(sell, flows, receipt) },
      buy: { ...buy, native: isCoinBought(trade, nets, flows, receipt) },
    }
  })
  return accounted.map((one) => rowOf(one, accounted, { named, venues, receipt }))
}

/** The one row of an account whose flows are a trade, where no trade through the pools is of these tokens. */
function byFlows(flows: OneForOne, trades: readonly LeggedTrade[], named: ReadonlySet<string>): EndedTrade | null {
  const { account, out, in: into } = flows
  const sells = trades.filter(({ through }) => through.sell.token === out.token)
  const buys = trades.filter(({ through }) => through.buy.token === into.token)
  if (out.amount === null || into.amount === null || trades.length === 0) return null
  if (sells.some((trade) => buys.includes(trade))) return null
  const [first, last] = [sells[0] ?? trades[0], buys.at(-1) ?? trades.at(-1)]
  if (!first || !last) return null
  return {
    hops: trades.flatMap(({ hops }) => hops).toSorted((a, b) => a.logIndex - b.logIndex),
    shape: 'route',
    through: { sell: first.through.sell, buy: last.through.buy },
    sell: { ...out, amount: out.amount },
    buy: { ...into, amount: into.amount },
    settledFor: named.has(account) ? account : null,
    isPartial: false,
  }
}

/** Whose trade it is: the signer's, or that of an account that a settlement named; null: nobody knows. */
function accountOf(
  { through: { sell, buy } }: LeggedTrade,
  named: ReadonlySet<string>,
  { nets, signer }: Receipt,
): string | null {
  if (named.size === 0) return signer
  const net = (account: string, token: string) => nets.get(account)?.get(token) ?? 0n
  const holds = (account: string) =>
    !(sell.native && buy.native) &&
    (sell.native || net(account, sell.token) < 0n) &&
    (buy.native || net(account, buy.token) > 0n)
  const [holder, another] = [...named].filter(holds)
  if (holder !== undefined) return another === undefined ? holder : null
  if (signer !== null && holds(signer)) return signer
  const [only] = named
  return named.size === 1 && only !== undefined ? only : null
}

function isCoinSold(sell: Leg, flows: OneForOne | null, { wrappedNative }: Receipt): boolean {
  return flows?.out.token === wrappedNative && sell.token === wrappedNative ? flows.out.native : sell.native
}

function isCoinBought(
  { hops, through: { buy } }: LeggedTrade,
  nets: ReadonlyMap<string, bigint>,
  flows: OneForOne | null,
  { wrappedNative, moves }: Receipt,
): boolean {
  if (buy.token !== wrappedNative) return false
  if (flows?.in.token === wrappedNative) return flows.in.native
  if ((nets.get(wrappedNative) ?? 0n) > 0n) return false
  const last = hops.filter(({ tokenOut }) => tokenOut === wrappedNative)
  const paid = moves.filter(({ token }) => token === wrappedNative)
  const isPaidWrapped = last.some((hop) =>
    paid.some(({ from, amount }) => from === hop.pool.address || amount === hop.amountOut),
  )
  return buy.native || !isPaidWrapped
}

function rowOf(
  one: Accounted,
  all: readonly Accounted[],
  { named, venues, receipt }: { named: ReadonlySet<string>; venues: ReadonlySet<string>; receipt: Receipt },
): EndedTrade {
  const { trade, account, nets, sell, buy } = one
  const endsIn = (token: string) => [sell.token, buy.token].includes(token)
  const others = all.filter((other) => other !== one)
  const elsewhere = (token: string) => others.some((other) => [other.sell.token, other.buy.token].includes(token))
  const isEnd = (token: string) => endsIn(token) || elsewhere(token)
  const [sold, bought] = [nets.get(sell.token) ?? 0n, nets.get(buy.token) ?? 0n]

  const strays = [...nets].filter(([token]) => isToken(token) && !isEnd(token))
  const isPartial =
    (!sell.native && sold >= 0n && strays.some(([, net]) => net < 0n)) ||
    (!buy.native && bought <= 0n && strays.some(([, net]) => net > 0n))
  const row = { ...trade, sell, buy, isPartial, settledFor: account !== null && named.has(account) ? account : null }

  const isAll = [...nets.keys()].every(isEnd)
  // Beside the wrapped coin there went coins of the same account.
  const isMixed =
    sell.token === receipt.wrappedNative && account === receipt.signer && receipt.value > total(receipt.withdrawals)
  if (!sell.native && sold < 0n && isAll && !isMixed && !elsewhere(sell.token)) row.sell = { ...sell, amount: -sold }
  if (buy.native || elsewhere(buy.token)) return row
  if (bought > 0n && isAll) row.buy = { ...buy, amount: bought }
  const [keeper, another] = keepersOf(buy.token, venues, receipt)
  if (bought === 0n && keeper && !another) row.buy = { ...buy, amount: keeper.amount }
  return row
}
