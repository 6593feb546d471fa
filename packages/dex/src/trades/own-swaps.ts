import type { Address } from '../chain/hex.ts'
import { keeperOf } from '../protocols/managed-pool.ts'
import { BURN_ADDRESSES } from './receipt/burn-addresses.ts'
import type { TokenTransfer } from './receipt/receipt-flows.ts'
import type { Hop } from './trade.ts'

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
  const payments = new Map(hops.map((hop, at) => [hop, paymentOf(hop, hops.slice(0, at), transfers, trader)]))
  const paymentFor = (hop: Hop): Payment =>
    payments.get(hop) ?? { payer: 'unknown', from: null, logIndex: hop.logIndex }
  const own = new Set<Hop>()
  for (const hop of hops) {
    const { payer, from } = paymentFor(hop)
    const isPaidByToken = payer === 'token' && from !== wrappedNative
    const isSold = hop.tokenIn !== wrappedNative && isOutOfStock(hop, hops, paymentFor)
    if (isPaidByToken || paysToken(hop, wrappedNative) || isSold) own.add(hop)
  }
  for (const hop of [...own]) {
    for (const nested of nestedAfter(hop, hops, own, transfers, trader, paymentFor)) own.add(nested)
  }
  return own.size < hops.length ? own : NONE
}

function paysToken({ recipient, tokenIn, tokenOut }: Hop, wrappedNative: Address): boolean {
  if (recipient === null || recipient === wrappedNative) return false
  return recipient === tokenIn || recipient === tokenOut || BURN_ADDRESSES.includes(recipient)
}

/** Paid out of a stock, while the trader pays for another sale of the same token. */
function isOutOfStock(hop: Hop, hops: readonly Hop[], paymentFor: (hop: Hop) => Payment): boolean {
  const { payer, from } = paymentFor(hop)
  if (payer !== 'stock') return false
  const others = hops.filter((other) => other !== hop && other.tokenIn === hop.tokenIn).map(paymentFor)
  const ofTrader = others.filter((other) => other.payer === 'trader' || other.payer === 'passed on')
  return ofTrader.length > 0 && ofTrader.every((other) => other.from !== from)
}

/** The hops after an own one, up to where the trader's payment of the same token is done, that the trader does not pay. */
function nestedAfter(
  own: Hop,
  hops: readonly Hop[],
  known: ReadonlySet<Hop>,
  transfers: readonly TokenTransfer[],
  trader: Address | null,
  paymentFor: (hop: Hop) => Payment,
): Hop[] {
  const later = hops.filter((hop) => hop.logIndex > own.logIndex && !known.has(hop))
  const resumed = later.find((hop) => hop.tokenIn === own.tokenIn || hop.tokenIn === own.tokenOut)
  const sold = later.find((hop) => hop.tokenIn === own.tokenIn) ?? resumed
  if (sold === undefined) return []
  const ofTrader = transfers.find(
    ({ token, from, logIndex }) => token === sold.tokenIn && from === trader && logIndex > own.logIndex,
  )
  const end = Math.min(paymentFor(sold).logIndex, ofTrader?.logIndex ?? Number.POSITIVE_INFINITY)
  return later.filter((hop) => hop.logIndex < end && paymentFor(hop).payer !== 'trader')
}

/** The transfer into the pool that is nearest to what the hop's event says came in. */
function paymentOf(
  { pool, tokenIn, tokenOut, amountIn, logIndex }: Hop,
  before: readonly Hop[],
  transfers: readonly TokenTransfer[],
  trader: Address | null,
): Payment {
  const since = before.findLast((hop) => hop.pool === pool)?.logIndex ?? -1
  let payment: TokenTransfer | null = null
  for (const transfer of transfers) {
    if (transfer.token !== tokenIn || transfer.to !== pool.address) continue
    if (transfer.logIndex <= since || transfer.logIndex >= logIndex) continue
    if (payment === null || distance(transfer.amount, amountIn) <= distance(payment.amount, amountIn))
      payment = transfer
  }
  if (payment === null) return { payer: 'unknown', from: null, logIndex }
  const { from } = payment
  // A pair that pays the next one hands on what it sold.
  const isPaidByPool = before.some((hop) => hop.tokenOut === tokenIn && keeperOf(hop.pool) === from)
  const payer = isPaidByPool ? 'passed on' : payerOf(payment, tokenOut, transfers, trader)
  return { payer, from, logIndex: payment.logIndex }
}

function payerOf(
  { token, from, amount, logIndex }: TokenTransfer,
  tokenOut: Address,
  transfers: readonly TokenTransfer[],
  trader: Address | null,
): Payer {
  if (from === trader) return 'trader'
  if (from === token || from === tokenOut) return 'token'
  const received = transfers.filter(
    (transfer) =>
      transfer.token === token && transfer.to === from && transfer.from !== from && transfer.logIndex < logIndex,
  )
  const sum = received.reduce((total, transfer) => total + transfer.amount, 0n)
  if (sum * PASSED_BOTTOM < amount * PASSED_TOP) return 'stock'
  // A token's contract may let a helper of its own do the selling.
  return received.every((transfer) => transfer.from === token) ? 'token' : 'passed on'
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b
}
