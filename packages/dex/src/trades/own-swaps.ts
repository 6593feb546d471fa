import type { Address } from '../chain/hex.ts'
import { present } from '../present.ts'
import { keeperOf } from '../venues/managed-pool.ts'
import { BURN_ADDRESSES, type TokenTransfer } from './receipt/receipt-flows.ts'
import type { Hop } from './trade.ts'
import { ArrivedTransfers, firstWhere, type Received } from './transfer-index.ts'

/**
 * Some tokens tax their transfers, and their own contract sells the collected tax in the middle of a trader's sale.
 * Then only one of two swaps in the transaction is the trader's. The events alone do not show which one; the token
 * transfers do.
 */

/** An address that got this share (9/10) of what it pays only passes it on; a transfer tax may take the rest. */
const PASSED_TOP = 9n
const PASSED_BOTTOM = 10n

type Payer =
  /** The account that signed. */
  | 'trader'
  /** An account that received the token earlier in the same transaction. */
  | 'passed on'
  /** The contract of one of the two tokens. */
  | 'token'
  /** An account that already held the token. */
  | 'stock'
  | 'unknown'

const NONE: ReadonlySet<Hop> = new Set()

interface Payment {
  payer: Payer
  from: Address | null
  amount: bigint
  /** Log index of the transfer into the pool. */
  logIndex: number
}

/**
 * Returns the hops that a token's own contract made within a trade. Returns none if no other hop would remain, except
 * where the contract sold what it held before, without any trade beside.
 * Hops and transfers are those of one transaction, in log order.
 *
 * A hop belongs to the token if one of these holds:
 *
 * 1. The token's contract pays for it.
 * 2. It pays to that contract, or burns what it buys.
 * 3. An account pays for it from its stock, while the trader pays for another hop that sells the same token.
 * 4. It happens between such a hop and the trader's payment of that token: it is nested in the trader's transfer.
 * 5. It passes on what such a hop bought.
 */
export function ownSwaps(
  hops: readonly Hop[],
  transfers: readonly TokenTransfer[],
  trader: Address | null,
  wrappedNative: Address,
): ReadonlySet<Hop> {
  if (hops.length < 2) return NONE
  const arrived = new ArrivedTransfers(transfers)
  const payments = paymentsOf(hops, arrived, trader)
  const paymentFor = (hop: Hop): Payment => payments.get(hop) ?? unpaid(hop)
  const payersOf = tradersPayers(hops, paymentFor)
  const own = new Set<Hop>()
  for (const hop of hops) {
    const { payer, from } = paymentFor(hop)
    const isPaidByToken = payer === 'token' && from !== wrappedNative
    const isSold = hop.tokenIn !== wrappedNative && isOutOfStock(paymentFor(hop), payersOf.get(hop.tokenIn))
    if (isPaidByToken || paysToken(hop, wrappedNative) || isSold) own.add(hop)
  }
  if (own.size === 0) return NONE
  const sources = sourcesOf(hops, paymentFor)
  const paidAt = placesPaidBy(trader, transfers)
  for (const hop of [...own]) {
    const source = sources.get(hop)
    if (source !== undefined && own.has(source)) continue
    for (const nested of nestedAfter(hop, hops, own, paidAt, paymentFor)) own.add(nested)
  }
  const continued = new Set<Hop>()
  for (const hop of hops) {
    const source = sources.get(hop)
    if (source === undefined || !own.has(source)) continue
    continued.add(hop)
    own.add(hop)
  }
  if (own.size < hops.length) return own
  const isOfToken = (hop: Hop) => continued.has(hop) || isOutOfContract(hop, paymentFor(hop), arrived)
  return hops.every(isOfToken) ? own : NONE
}

/**
 * Returns the hop whose output a hop passes on: the last that paid its pool, or else the last that paid the address, or
 * is of the pool, which paid its pool. The trader passes nothing on.
 */
function sourcesOf(hops: readonly Hop[], paymentFor: (hop: Hop) => Payment): ReadonlyMap<Hop, Hop> {
  const sources = new Map<Hop, Hop>()
  // The last hop that paid a token to an address, and that paid it at all out of a pool.
  const paid = new Map<string, Hop>()
  const paying = new Map<string, Hop>()
  for (const hop of hops) {
    const { tokenIn, tokenOut, pool, recipient } = hop
    const { payer, from } = paymentFor(hop)
    const ofPayer = [paid.get(`${tokenIn}${from}`), paying.get(`${tokenIn}${from}`)].filter(
      (each) => each !== undefined,
    )
    const source = paid.get(tokenIn + pool.address) ?? ofPayer.sort((a, b) => b.logIndex - a.logIndex)[0]
    if (source !== undefined && payer !== 'trader') sources.set(hop, source)
    if (recipient !== null) paid.set(tokenOut + recipient, hop)
    paying.set(tokenOut + keeperOf(pool), hop)
  }
  return sources
}

/** Whether a token's contract sold what nobody gave it in the transaction. */
function isOutOfContract({ tokenIn }: Hop, { from, amount, logIndex }: Payment, arrived: ArrivedTransfers): boolean {
  if (from !== tokenIn) return false
  return isStock(arrived.receivedBefore(tokenIn, from, logIndex), amount)
}

function paysToken({ recipient, tokenIn, tokenOut }: Hop, wrappedNative: Address): boolean {
  if (recipient === null || recipient === wrappedNative) return false
  return recipient === tokenIn || recipient === tokenOut || BURN_ADDRESSES.includes(recipient)
}

/** Returns, by token, the payers of the sales that the trader paid for. */
function tradersPayers(
  hops: readonly Hop[],
  paymentFor: (hop: Hop) => Payment,
): ReadonlyMap<Address, ReadonlySet<Address | null>> {
  const payersOf = new Map<Address, Set<Address | null>>()
  for (const hop of hops) {
    const { payer, from } = paymentFor(hop)
    if (payer !== 'trader' && payer !== 'passed on') continue
    const payers = payersOf.get(hop.tokenIn) ?? new Set()
    payersOf.set(hop.tokenIn, payers.add(from))
  }
  return payersOf
}

function isOutOfStock({ payer, from }: Payment, ofTrader: ReadonlySet<Address | null> | undefined): boolean {
  return payer === 'stock' && ofTrader !== undefined && !ofTrader.has(from)
}

/** Returns the log indexes of the trader's transfers by token, in log order. */
function placesPaidBy(trader: Address | null, transfers: readonly TokenTransfer[]): Map<Address, number[]> {
  const places = new Map<Address, number[]>()
  for (const { token, from, logIndex } of transfers) {
    if (from !== trader) continue
    const ofToken = places.get(token)
    if (ofToken === undefined) places.set(token, [logIndex])
    else ofToken.push(logIndex)
  }
  return places
}

/** Returns the hops after an own one that the trader does not pay, until its payment of that token is done. */
function nestedAfter(
  own: Hop,
  hops: readonly Hop[],
  known: ReadonlySet<Hop>,
  paidAt: ReadonlyMap<Address, readonly number[]>,
  paymentFor: (hop: Hop) => Payment,
): Hop[] {
  const later = hops.filter((hop) => hop.logIndex > own.logIndex && !known.has(hop))
  const resumed = later.find((hop) => hop.tokenIn === own.tokenIn || hop.tokenIn === own.tokenOut)
  const sold = later.find((hop) => hop.tokenIn === own.tokenIn) ?? resumed
  if (sold === undefined) return []
  const places = paidAt.get(sold.tokenIn) ?? []
  const ofTrader = places[firstWhere(places.length, (at) => present(places[at]) > own.logIndex)]
  const end = Math.min(paymentFor(sold).logIndex, ofTrader ?? Number.POSITIVE_INFINITY)
  return later.filter((hop) => hop.logIndex < end && paymentFor(hop).payer !== 'trader')
}

/** @param hops in log order */
function paymentsOf(
  hops: readonly Hop[],
  arrived: ArrivedTransfers,
  trader: Address | null,
): ReadonlyMap<Hop, Payment> {
  const lastHopOf = new Map<Hop['pool'], number>()
  // Pools that have sold a token.
  const sold = new Set<string>()
  const payments = new Map<Hop, Payment>()
  for (const hop of hops) {
    const payment = nearestTransfer(hop, lastHopOf.get(hop.pool) ?? -1, arrived)
    payments.set(hop, payment === null ? unpaid(hop) : paidBy(hop, payment, { arrived, sold, trader }))
    lastHopOf.set(hop.pool, hop.logIndex)
    sold.add(hop.tokenOut + keeperOf(hop.pool))
  }
  return payments
}

function unpaid({ logIndex }: Hop): Payment {
  return { payer: 'unknown', from: null, amount: 0n, logIndex }
}

/** Returns the transfer into the pool that is nearest to the amount in the hop's event. */
function nearestTransfer(
  { pool, tokenIn, amountIn, logIndex }: Hop,
  since: number,
  arrived: ArrivedTransfers,
): TokenTransfer | null {
  let nearest: TokenTransfer | null = null
  for (const transfer of arrived.between(tokenIn, pool.address, since, logIndex)) {
    if (nearest === null || distance(transfer.amount, amountIn) <= distance(nearest.amount, amountIn))
      nearest = transfer
  }
  return nearest
}

function paidBy(
  { tokenOut }: Hop,
  payment: TokenTransfer,
  { arrived, sold, trader }: { arrived: ArrivedTransfers; sold: ReadonlySet<string>; trader: Address | null },
): Payment {
  const { token, from, amount, logIndex } = payment
  // A pair that pays the next pair passes on what it sold.
  const payer = sold.has(token + from) ? 'passed on' : payerOf(payment, tokenOut, arrived, trader)
  return { payer, from, amount, logIndex }
}

function payerOf(
  { token, from, amount, logIndex }: TokenTransfer,
  tokenOut: Address,
  arrived: ArrivedTransfers,
  trader: Address | null,
): Payer {
  if (from === trader) return 'trader'
  if (from === token || from === tokenOut) return 'token'
  const received = arrived.receivedBefore(token, from, logIndex)
  if (isStock(received, amount)) return 'stock'
  // A token's contract may use a separate helper contract for its sales.
  return received.isFromToken ? 'token' : 'passed on'
}

/** Whether an address that pays an amount had most of it before. */
function isStock(received: Received, amount: bigint): boolean {
  return received.amount * PASSED_BOTTOM < amount * PASSED_TOP
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b
}
