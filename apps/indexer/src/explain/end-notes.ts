import {
  type Address,
  keeperOf,
  type Leg,
  type PricedTrade,
  type ReceiptFlows,
  Totals,
  ZERO_ADDRESS,
} from '@dexfeed/dex'

export type EndDifference = 'transfer-tax' | 'own-sale' | 'fee' | 'unread-venue' | 'reflection' | 'matched' | 'unknown'

export interface EndNote {
  side: 'gave' | 'got'
  leg: Leg
  pools: Leg
  why: EndDifference
}

/** Returns where a trade's ends differ from what went through the pools, and why. */
export function endNotes(trade: PricedTrade, flows: ReceiptFlows, trades: readonly PricedTrade[]): EndNote[] {
  const { sell, buy, throughPools } = trade
  if (throughPools === undefined) return []
  const notes: EndNote[] = []
  const note = (side: EndNote['side'], leg: Leg, pools: Leg) => {
    if (leg.token === pools.token && leg.amount === pools.amount) return
    notes.push({ side, leg, pools, why: differenceOf(side, leg, pools, { trade, flows, trades }) })
  }
  note('gave', sell, throughPools.sell)
  note('got', buy, throughPools.buy)
  return notes
}

interface Scene {
  trade: PricedTrade
  flows: ReceiptFlows
  trades: readonly PricedTrade[]
}

function differenceOf(side: EndNote['side'], leg: Leg, pools: Leg, scene: Scene): EndDifference {
  if (leg.token !== pools.token) return 'unread-venue'
  if (isMatched(side, leg, scene)) return 'matched'
  const isMoreThanPossible = side === 'gave' ? leg.amount < pools.amount : leg.amount > pools.amount
  // Native coins are not taxed, and their balances do not change by themselves.
  if (leg.native) return isMoreThanPossible ? 'unread-venue' : 'fee'
  if (isMoreThanPossible) return isStraight(side, leg, scene) ? 'reflection' : 'unread-venue'
  if (scene.trades.some(({ byToken, sell }) => byToken && sell.token === leg.token)) return 'own-sale'
  if (isTaxed(leg, scene.flows) || isStraight(side, leg, scene)) return 'transfer-tax'
  const holders = otherHolders(leg.token, scene)
  if (holders.length === 0) return 'unknown'
  // A venue gives another token in return; a fee collector only takes.
  return side === 'gave' && holders.some((holder) => gaveAnother(holder, leg.token, scene)) ? 'unread-venue' : 'fee'
}

/** Where a coin amount comes from: logged moves, the wrapper and coins sent along, or the pools. */
export type CoinSource = 'moves' | 'wrapper' | 'pools'

/** Returns null if the trade has no coins, or if a token or no pool made it. */
export function coinSource({ sell, buy, ...trade }: PricedTrade, { coins }: ReceiptFlows): CoinSource | null {
  const side = sell.native ? 'sell' : 'buy'
  const leg = side === 'sell' ? sell : buy
  if (!leg.native || trade.byToken || (trade.hops.length === 0 && trade.routes === undefined)) return null
  if (coins !== undefined) {
    const account = trade.settledFor ?? trade.trader
    const net = coins.reduce((sum, { from, to, amount }) => {
      return sum + (to === account ? amount : 0n) - (from === account ? amount : 0n)
    }, 0n)
    if (net === (side === 'sell' ? -leg.amount : leg.amount)) return 'moves'
  }
  const pools = trade.throughPools?.[side] ?? leg
  if (leg.token === pools.token && leg.amount === pools.amount) return 'pools'
  return coins === undefined ? 'wrapper' : 'moves'
}

/** Returns whether another account's order took the token that this trade gave, or gave the token that it got. */
function isMatched(side: EndNote['side'], { token }: Leg, { trade, trades }: Scene): boolean {
  if (trade.settledFor === null) return false
  return trades.some((other) => {
    const end = side === 'gave' ? other.buy : other.sell
    return other !== trade && other.settledFor !== null && other.settledFor !== trade.settledFor && end.token === token
  })
}

function isTaxed({ token }: Leg, { transfers }: ReceiptFlows): boolean {
  return transfers.some((transfer) => transfer.token === token && [token, ZERO_ADDRESS].includes(transfer.to))
}

/** Returns whether the token moved directly between the account and a pool. */
function isStraight(side: EndNote['side'], { token }: Leg, { trade, flows }: Scene): boolean {
  const account = accountOf(trade)
  const pools = poolsOf(trade)
  return flows.transfers.some(({ token: moved, from, to }) => {
    const [holder, pool] = side === 'gave' ? [from, to] : [to, from]
    return moved === token && holder === account && pools.has(pool)
  })
}

/** Returns the accounts, other than the trader and the pools, that got more of a token than they gave. */
function otherHolders(token: Address, { trade, flows }: Scene): Address[] {
  const nets = new Totals<Address>()
  for (const { token: moved, from, to, amount } of flows.transfers) {
    if (moved !== token) continue
    nets.add(from, -amount)
    nets.add(to, amount)
  }
  const pools = poolsOf(trade)
  return [...nets]
    .filter(([holder, net]) => net > 0n && holder !== accountOf(trade) && !pools.has(holder))
    .map(([holder]) => holder)
}

function gaveAnother(holder: Address, token: Address, { flows }: Scene): boolean {
  const nets = new Totals<Address>()
  for (const { token: moved, from, to, amount } of flows.transfers) {
    if (moved === token) continue
    if (from === holder) nets.add(moved, -amount)
    if (to === holder) nets.add(moved, amount)
  }
  return [...nets.values()].some((net) => net < 0n)
}

function accountOf({ settledFor, trader }: PricedTrade): Address | null {
  return settledFor ?? trader
}

function poolsOf({ hops, routes = [] }: PricedTrade): ReadonlySet<string> {
  const all = [...hops, ...routes.flatMap((route) => route.hops)]
  return new Set(all.flatMap(({ pool }) => [pool.address, keeperOf(pool)]))
}
