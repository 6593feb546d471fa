import type { Address } from '../chain.ts'
import { absolute } from '../maths/integers.ts'
import { present } from '../present.ts'
import { Groups } from '../totals.ts'
import { keeperOf } from '../venues/managed-pool.ts'
import { BURN_ADDRESSES, type TokenTransfer } from './receipt/receipt-flows.ts'
import type { Hop } from './trade.ts'
import { ArrivedTransfers, firstWhere, type Received } from './transfer-index.ts'

// Some tokens tax their transfers, and the token's contract sells the tax in the middle of a trader's sale. Only token
// transfers show which of the two swaps is the trader's.

type Payer =
  | 'trader'
  /** An account that received the token earlier in the same transaction. */
  | 'passed on'
  /** The contract of one of the two tokens. */
  | 'token'
  /** An account that already held the token. */
  | 'stock'
  | 'unknown'

interface Payment {
  payer: Payer
  from: Address | null
  amount: bigint
  logIndex: number
}

type PaymentFor = (hop: Hop) => Payment

const NONE: ReadonlySet<Hop> = new Set()

/**
 * Returns the hops that a token's own contract made within a trade (docs/internals/trades.md, "Own swaps"). Hops and
 * transfers are in log order.
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
  const paymentFor = (hop: Hop): Payment => present(payments.get(hop))
  const payersOf = tradersPayers(hops, paymentFor)
  const found = new Set<Hop>()
  for (const hop of hops) {
    const { payer, from } = paymentFor(hop)
    const isPaidByToken = payer === 'token' && from !== wrappedNative
    const isOutOfStock = payer === 'stock' && payersOf.get(hop.tokenIn)?.has(from) === false
    if (isPaidByToken || paysToken(hop, wrappedNative) || (isOutOfStock && hop.tokenIn !== wrappedNative))
      found.add(hop)
  }
  if (found.size === 0) return NONE
  const sources = sourcesOf(hops, paymentFor)
  const paidAt = new Groups<Address, number>()
  for (const { token, from, logIndex } of transfers) if (from === trader) paidAt.add(token, logIndex)
  for (const hop of [...found]) {
    const source = sources.get(hop)
    if (source !== undefined && found.has(source)) continue
    const later = hops.filter((other) => other.logIndex > hop.logIndex && !found.has(other))
    for (const nested of nestedIn(later, hop, paidAt, paymentFor)) found.add(nested)
  }
  const continued = new Set<Hop>()
  for (const hop of hops) {
    const source = sources.get(hop)
    if (source === undefined || !found.has(source)) continue
    continued.add(hop)
    found.add(hop)
  }
  if (found.size < hops.length) return found
  const isOfToken = (hop: Hop) => continued.has(hop) || isOutOfContract(hop, paymentFor(hop), arrived)
  return hops.every(isOfToken) ? found : NONE
}

/**
 * Returns, for each hop, the hop whose output it passes on: the last one that paid its pool, or else the last one that
 * paid its payer or came from the pool that pays it. The trader passes nothing on.
 */
function sourcesOf(hops: readonly Hop[], paymentFor: PaymentFor): ReadonlyMap<Hop, Hop> {
  const sources = new Map<Hop, Hop>()
  const paid = new Map<string, Hop>()
  const paying = new Map<string, Hop>()
  for (const hop of hops) {
    const { tokenIn, tokenOut, pool, recipient } = hop
    const { payer, from } = paymentFor(hop)
    const ofPayer = [paid.get(`${tokenIn}${from}`), paying.get(`${tokenIn}${from}`)].filter(
      (source) => source !== undefined,
    )
    const source = paid.get(tokenIn + pool.address) ?? ofPayer.sort((a, b) => b.logIndex - a.logIndex)[0]
    if (source !== undefined && payer !== 'trader') sources.set(hop, source)
    if (recipient !== null) paid.set(tokenOut + recipient, hop)
    paying.set(tokenOut + keeperOf(pool), hop)
  }
  return sources
}

function isOutOfContract({ tokenIn }: Hop, { from, amount, logIndex }: Payment, arrived: ArrivedTransfers): boolean {
  return from === tokenIn && isStock(arrived.receivedBefore(tokenIn, from, logIndex), amount)
}

function paysToken({ recipient, tokenIn, tokenOut }: Hop, wrappedNative: Address): boolean {
  if (recipient === null || recipient === wrappedNative) return false
  return recipient === tokenIn || recipient === tokenOut || BURN_ADDRESSES.includes(recipient)
}

function tradersPayers(
  hops: readonly Hop[],
  paymentFor: PaymentFor,
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

/**
 * Returns the hops nested in the trader's transfer: the trader does not pay for them, and they come before its payment
 * for the next sale of the own hop's token.
 *
 * @param paidAt log indexes of the trader's transfers by token, ascending
 */
function nestedIn(
  later: readonly Hop[],
  ownSwap: Hop,
  paidAt: Groups<Address, number>,
  paymentFor: PaymentFor,
): readonly Hop[] {
  const sold =
    later.find((hop) => hop.tokenIn === ownSwap.tokenIn) ?? later.find((hop) => hop.tokenIn === ownSwap.tokenOut)
  if (sold === undefined) return []
  const places = paidAt.of(sold.tokenIn)
  const ofTrader = places[firstWhere(places.length, (index) => present(places[index]) > ownSwap.logIndex)]
  const end = Math.min(paymentFor(sold).logIndex, ofTrader ?? Number.POSITIVE_INFINITY)
  return later.filter((hop) => hop.logIndex < end && paymentFor(hop).payer !== 'trader')
}

function paymentsOf(
  hops: readonly Hop[],
  arrived: ArrivedTransfers,
  trader: Address | null,
): ReadonlyMap<Hop, Payment> {
  const lastHopOf = new Map<Hop['pool'], number>()
  const sold = new Set<string>()
  const payments = new Map<Hop, Payment>()
  for (const hop of hops) {
    const { pool, tokenIn, tokenOut, amountIn, logIndex } = hop
    let nearest: TokenTransfer | null = null
    for (const transfer of arrived.between(tokenIn, pool.address, lastHopOf.get(pool) ?? -1, logIndex)) {
      const distance = absolute(transfer.amount - amountIn)
      if (nearest === null || distance <= absolute(nearest.amount - amountIn)) nearest = transfer
    }
    if (nearest === null) payments.set(hop, { payer: 'unknown', from: null, amount: 0n, logIndex })
    else {
      // A pool that pays the next pool passes on what it sold.
      const isPassedOn = sold.has(nearest.token + nearest.from)
      const payer = isPassedOn ? 'passed on' : payerOf(nearest, tokenOut, arrived, trader)
      payments.set(hop, { payer, from: nearest.from, amount: nearest.amount, logIndex: nearest.logIndex })
    }
    lastHopOf.set(pool, logIndex)
    sold.add(tokenOut + keeperOf(pool))
  }
  return payments
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
  // It may be a helper contract of the token.
  return received.isFromToken ? 'token' : 'passed on'
}

/**
 * Returns whether an address already held more than a tenth of its payment before the transaction. A smaller missing
 * part may be a tax.
 */
function isStock(received: Received, amount: bigint): boolean {
  return received.amount * 10n < amount * 9n
}
