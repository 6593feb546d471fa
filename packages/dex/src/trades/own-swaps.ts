import type { Address } from '../chain/hex.ts'
import { keeperOf } from '../protocols/managed-pool.ts'
import { BURN_ADDRESSES, type TokenTransfer } from './receipt/receipt-flows.ts'
import type { Hop } from './trade.ts'
import { ArrivedTransfers, firstWhere } from './transfer-index.ts'

/**
 * Some tokens tax their transfers and let their own contract sell what it collected, in the middle of a trader's sale:
 * two swaps in one transaction of which only one is the trader's. The events alone do not tell which; the transaction's
 * token transfers do.
 */

/** An address that got at least this share (9/10) of what it pays only passes it on: a transfer's tax may stand between. */
const [PASSED_TOP, PASSED_BOTTOM] = [9n, 10n]

/** Who paid for a hop. */
type Payer =
  /** The account that signed. */
  | 'trader'
  /** Somebody who had been given it before in the same transaction. */
  | 'passed on'
  /** The contract of one of the two tokens. */
  | 'token'
  /** Somebody who had it before. */
  | 'stock'
  | 'unknown'

const NONE: ReadonlySet<Hop> = new Set()
const NOWHERE: ReadonlyMap<Address, readonly number[]> = new Map()

interface Payment {
  payer: Payer
  from: Address | null
  /** Place of the transfer into the pool. */
  logIndex: number
}

/**
 * The hops that a token's own contract made within somebody's trade. None when there would be no other hop left.
 *
 * A hop is the token's own when the token's contract pays for it; when it pays to that contract or burns what it buys;
 * when it is paid out of somebody's stock while another hop that sells the same token is paid by the trader; and when
 * it happens between such a hop and the trader's own payment of that token, in whose transfer it is nested.
 *
 * @param hops of one transaction, in log order
 * @param transfers of the whole transaction, in log order
 */
export function ownSwaps(
  hops: readonly Hop[],
  transfers: readonly TokenTransfer[],
  trader: Address | null,
  wrappedNative: Address,
): ReadonlySet<Hop> {
  if (hops.length < 2) return NONE
  const payments = paymentsOf(hops, new ArrivedTransfers(transfers), trader)
  const paymentFor = (hop: Hop): Payment => payments.get(hop) ?? unpaid(hop)
  const payersOf = tradersPayers(hops, paymentFor)
  const own = new Set<Hop>()
  for (const hop of hops) {
    const { payer, from } = paymentFor(hop)
    const isPaidByToken = payer === 'token' && from !== wrappedNative
    const isSold = hop.tokenIn !== wrappedNative && isOutOfStock(paymentFor(hop), payersOf.get(hop.tokenIn))
    if (isPaidByToken || paysToken(hop, wrappedNative) || isSold) own.add(hop)
  }
  const paidAt = own.size === 0 ? NOWHERE : placesPaidBy(trader, transfers)
  for (const hop of [...own]) {
    for (const nested of nestedAfter(hop, hops, own, paidAt, paymentFor)) own.add(nested)
  }
  return own.size < hops.length ? own : NONE
}

function paysToken({ recipient, tokenIn, tokenOut }: Hop, wrappedNative: Address): boolean {
  if (recipient === null || recipient === wrappedNative) return false
  return recipient === tokenIn || recipient === tokenOut || BURN_ADDRESSES.includes(recipient)
}

/** Who paid for the sales of a token that the trader paid for. */
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

/** Paid out of a stock, while the trader pays for another sale of the same token. */
function isOutOfStock({ payer, from }: Payment, ofTrader: ReadonlySet<Address | null> | undefined): boolean {
  return payer === 'stock' && ofTrader !== undefined && !ofTrader.has(from)
}

/** Where the trader transferred each token, in log order. */
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

/** The hops after an own one, up to where the trader's payment of the same token is done, that the trader does not pay. */
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
  const ofTrader = places[firstWhere(places.length, (at) => (places[at] ?? 0) > own.logIndex)]
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
  // Which pools have sold a token.
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
  return { payer: 'unknown', from: null, logIndex }
}

/** The transfer into the pool that is nearest to what the hop's event says came in. */
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
  const { token, from, logIndex } = payment
  // A pair that pays the next one hands on what it sold.
  const payer = sold.has(token + from) ? 'passed on' : payerOf(payment, tokenOut, arrived, trader)
  return { payer, from, logIndex }
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
  if (received.amount * PASSED_BOTTOM < amount * PASSED_TOP) return 'stock'
  // A token's contract may let a helper of its own do the selling.
  return received.isFromToken ? 'token' : 'passed on'
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b
}
