import type { Leg, LeggedTrade } from '../legs.ts'
import { type Receipt, unwrapped, WORD } from '../receipt/receipt.ts'
import { type Flow, isIncredible, magnitude, type Parties, pairOf, tokenFlows } from './flows.ts'

export function joinRoutes(trades: readonly LeggedTrade[], { named }: Parties, receipt: Receipt): LeggedTrade[] {
  const [account = receipt.signer] = named
  if (account === null || named.size > 1 || receipt.changesLiquidity) return [...trades]
  if (receipt.nets.hasItems(account) || isIncredible(account, receipt)) return [...trades]
  const nets = netsOf(account, receipt)
  if (nets.some(({ amount }) => magnitude(amount) > WORD)) return [...trades]
  const { logsCoins } = receipt
  return joinByFlows(trades, nets, account, receipt) ?? joinFees(trades, nets, logsCoins)
}

function netsOf(account: string, receipt: Receipt): Flow[] {
  const { nets, logsCoins, wrappedNative: token } = receipt
  if (!logsCoins) return tokenFlows(account, receipt)
  const wrapped = { token, amount: nets.wrapped(account) + nets.coins(account), native: false }
  const others = tokenFlows(account, receipt).filter((flow) => flow.token !== token)
  return wrapped.amount === 0n ? others : [...others, wrapped]
}

function joinByFlows(
  trades: readonly LeggedTrade[],
  nets: readonly Flow[],
  account: string,
  receipt: Receipt,
): LeggedTrade[] | null {
  const { logsCoins, value, signer, wrappedNative } = receipt
  const spent = logsCoins || account !== signer ? 0n : value - unwrapped(receipt)
  const flows = spent > 0n ? [...nets, { token: wrappedNative, amount: -spent, native: true }] : nets
  const pair = pairOf(account, flows)
  if (pair === null) return null
  const { out, in: into } = pair
  const main = trades.find(({ through: { sell, buy } }) => sell.token === out.token && buy.token === into.token)
  if (main === undefined) return null
  const others = trades.filter((trade) => {
    const { sell, buy } = trade.through
    const touches = sell.token === out.token || sell.token === into.token || buy.token === into.token
    return trade !== main && touches && buy.token !== out.token
  })
  const { sell, buy } = main.through
  if (others.length === 0 || !areNear(into.amount * sell.amount, out.amount * buy.amount)) return null
  const joined = join(main, others)
  if (joined === null) return null
  const closer = [
    magnitude(sell.amount - out.amount) - magnitude(joined.through.sell.amount - out.amount),
    magnitude(buy.amount - into.amount) - magnitude(joined.through.buy.amount - into.amount),
  ]
  if (closer.some((by) => by < 0n) || closer.every((by) => by === 0n)) return null
  return inOrder([joined, ...trades.filter((trade) => trade !== main && !others.includes(trade))])
}

/** Joins each route that sold a fee to the route that paid the fee. */
function joinFees(trades: readonly LeggedTrade[], nets: readonly Flow[], logsCoins: boolean): LeggedTrade[] {
  const net = (token: string) => nets.find((flow) => flow.token === token)?.amount ?? 0n
  const hosts = new Map(trades.map((fee) => [fee, hostOf(fee, trades, net, logsCoins)]))
  const joined = trades.flatMap((trade) => {
    const host = hosts.get(trade) ?? null
    if (host !== null && (hosts.get(host) ?? null) === null) return []
    const fees = host === null ? trades.filter((fee) => hosts.get(fee) === trade) : []
    const whole = fees.length === 0 ? trade : join(trade, fees)
    return whole === null ? [trade, ...fees] : [whole]
  })
  return inOrder(joined)
}

function hostOf(
  fee: LeggedTrade,
  trades: readonly LeggedTrade[],
  net: (token: string) => bigint,
  logsCoins: boolean,
): LeggedTrade | null {
  const { token, amount } = fee.through.sell
  const isCoin = ({ native }: Leg) => native && !logsCoins
  const endOf = ({ through: { sell, buy } }: LeggedTrade) => [sell, buy].find((end) => end.token === token)
  const accounts = trades.filter(({ through: { sell, buy } }) => {
    return (isCoin(sell) || net(sell.token) < 0n) && (isCoin(buy) || net(buy.token) > 0n)
  })
  const most = (trade: LeggedTrade | undefined) => (trade === undefined ? 0n : (endOf(trade)?.amount ?? 0n))
  const host = accounts.reduce<LeggedTrade | undefined>(
    (best, leggedTrade) => (most(leggedTrade) > most(best) ? leggedTrade : best),
    undefined,
  )
  const end = host && endOf(host)
  if (!host || !end || host === fee || 20n * amount > end.amount || net(fee.through.buy.token) !== 0n) return null
  const off = (sum: bigint) => magnitude(magnitude(net(token)) - sum)
  const withFee = host.through.sell.token === token ? end.amount + amount : end.amount - amount
  return isCoin(end) || off(withFee) < off(end.amount) ? host : null
}

function join(main: LeggedTrade, others: readonly LeggedTrade[]): LeggedTrade | null {
  const all = [main, ...others]
  const { sell, buy } = main.through
  const sum = (side: 'sell' | 'buy', token: string) =>
    all.reduce((so, { through }) => so + (through[side].token === token ? through[side].amount : 0n), 0n)
  const [sold, bought] = [sum('sell', sell.token), sum('buy', buy.token) - sum('sell', buy.token)]
  if (bought <= 0n || sold > WORD || bought > WORD) return null
  return {
    hops: all.flatMap(({ hops }) => hops).toSorted((a, b) => a.logIndex - b.logIndex),
    shape: 'route',
    through: { sell: { ...sell, amount: sold }, buy: { ...buy, amount: bought } },
    routes: inOrder(all).map((route) =>
      route.through.sell.token === buy.token ? { ...route, isPassedOn: true } : route,
    ),
  }
}

function inOrder(trades: readonly LeggedTrade[]): LeggedTrade[] {
  return trades.toSorted((a, b) => (a.hops[0]?.logIndex ?? 0) - (b.hops[0]?.logIndex ?? 0))
}

export function areNear(a: bigint, b: bigint): boolean {
  const [less, more] = a < b ? [a, b] : [b, a]
  return 5n * more <= 6n * less
}
