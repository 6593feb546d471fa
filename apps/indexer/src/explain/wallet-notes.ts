import { type Address, type Leg, type PricedTrade, type TokenTransfer, ZERO_ADDRESS } from '@dexfeed/dex'

/** How what the trader's own account gave or got differs from what entered or left the pools. */
export interface WalletNote {
  leg: Leg
  side: 'gave' | 'got'
  /** Base units; for a native leg coins. */
  amount: bigint
  why: 'transfer-tax' | 'fee' | 'fee-or-refund' | 'moving-balance'
}

/** What decides about the notes: the transaction's transfers, and the coins that it sent along. */
export interface WalletFacts {
  trader: Address | null
  value: bigint
  transfers: readonly TokenTransfer[]
}

/**
 * Notes on a trade whose amounts are not those of the trader's account. Legs that no transfer shows (coins that a
 * contract pays out; what another account gave or got) have none.
 */
export function walletNotes(trade: PricedTrade, facts: WalletFacts): WalletNote[] {
  if (trade.byToken || facts.trader === null) return []
  const pools = new Set<string>(trade.hops.map(({ pool }) => pool.address))
  return [givenNote(trade, facts, pools), receivedNote(trade, facts, pools)].filter((note) => note !== null)
}

function givenNote({ sell: leg }: PricedTrade, facts: WalletFacts, pools: ReadonlySet<string>): WalletNote | null {
  if (leg.native) {
    return facts.value > leg.amount ? { leg, side: 'gave', amount: facts.value, why: 'fee-or-refund' } : null
  }
  const amount = netOf(leg.token, facts)
  if (amount >= 0n || -amount === leg.amount) return null
  const paid = facts.transfers.filter(({ token, from }) => token === leg.token && from === facts.trader)
  const isStraight = paid.some(({ to }) => pools.has(to))
  const isTax = isStraight || isTaxed(leg.token, facts)
  const why = -amount < leg.amount ? 'moving-balance' : isTax ? 'transfer-tax' : 'fee'
  return { leg, side: 'gave', amount: -amount, why }
}

function receivedNote(trade: PricedTrade, facts: WalletFacts, pools: ReadonlySet<string>): WalletNote | null {
  const leg = trade.buy
  if (leg.native) return null
  const amount = netOf(leg.token, facts)
  if (amount <= 0n || amount === leg.amount) return null
  const received = facts.transfers.filter(({ token, to }) => token === leg.token && to === facts.trader)
  const isStraight = received.some(({ from }) => pools.has(from))
  const paidOut = facts.transfers.filter(({ token, from }) => token === leg.token && pools.has(from))
  // What leaves a pool in several transfers, or smaller than the pool says, is taxed.
  const isTax = isStraight || isTaxed(leg.token, facts) || paidOut.length > trade.hops.length
  const why = amount > leg.amount ? 'moving-balance' : isTax ? 'transfer-tax' : 'fee'
  return { leg, side: 'got', amount, why }
}

/** Some of it went to the token's own contract, or was burnt. */
function isTaxed(wanted: Address, { transfers }: WalletFacts): boolean {
  return transfers.some(({ token, to }) => token === wanted && (to === token || to === ZERO_ADDRESS))
}

/** What the trader's account got of a token, less what it gave. */
function netOf(wanted: Address, { trader, transfers }: WalletFacts): bigint {
  let net = 0n
  for (const { token, from, to, amount } of transfers) {
    if (token !== wanted) continue
    if (to === trader) net += amount
    if (from === trader) net -= amount
  }
  return net
}
