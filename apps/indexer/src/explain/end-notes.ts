import { type Leg, type PricedTrade, type ReceiptFlows, ZERO_ADDRESS } from '@dexfeed/dex'

/** Why what the trader gave or got is not what entered or left the pools. */
export type EndDifference = 'transfer-tax' | 'own-sale' | 'fee' | 'unread-venue' | 'reflection'

export interface EndNote {
  side: 'gave' | 'got'
  /** As the row says. */
  leg: Leg
  /** As the pools say. */
  pools: Leg
  why: EndDifference
}

/**
 * Notes on the ends of a trade that are not those of its route.
 *
 * @param flows of the whole transaction
 * @param trades all of the transaction
 */
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

function differenceOf(side: EndNote['side'], leg: Leg, pools: Leg, { trade, flows, trades }: Scene): EndDifference {
  if (leg.token !== pools.token) return 'unread-venue'
  // Nothing taxes coins, and no balance of them moves by itself.
  if (leg.native) return isBetter(side, leg, pools) ? 'unread-venue' : 'fee'
  if (isBetter(side, leg, pools)) return 'reflection'
  if (trades.some(({ byToken, sell }) => byToken && sell.token === leg.token)) return 'own-sale'
  return isTaxed(side, leg, trade, flows) ? 'transfer-tax' : 'fee'
}

/** Less was given, or more was got, than what went through the pools. */
function isBetter(side: EndNote['side'], leg: Leg, pools: Leg): boolean {
  return side === 'gave' ? leg.amount < pools.amount : leg.amount > pools.amount
}

/** What the amount of an end in coins is taken from: logged moves of coins, wrapper and coins sent along, or the pools. */
export type CoinSource = 'moves' | 'wrapper' | 'pools'

/** Where the amounts of a trade's ends in coins are from; null: it has none, or a token made it. */
export function coinSource({ sell, buy, ...trade }: PricedTrade, { coins }: ReceiptFlows): CoinSource | null {
  const side = sell.native ? 'sell' : 'buy'
  const leg = side === 'sell' ? sell : buy
  if (!leg.native || trade.byToken) return null
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

/** It went straight between account and pool, or some of it to the token's own contract, or was burnt. */
function isTaxed(side: EndNote['side'], { token }: Leg, { trader, hops }: PricedTrade, flows: ReceiptFlows): boolean {
  const pools = new Set<string>(hops.map(({ pool }) => pool.address))
  return flows.transfers.some((transfer) => {
    if (transfer.token !== token) return false
    if (transfer.to === token || transfer.to === ZERO_ADDRESS) return true
    const [account, pool] = side === 'gave' ? [transfer.from, transfer.to] : [transfer.to, transfer.from]
    return account === trader && pools.has(pool)
  })
}
