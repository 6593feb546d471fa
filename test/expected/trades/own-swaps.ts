import type { Hop } from './receipt/hops.ts'
import type { Move } from './receipt/moves-in-logs.ts'
import { BURNT, type Receipt } from './receipt/receipt.ts'

/** Returns the hops that token contracts made within the signer's transaction; none if that would be all of them. */
export function ownSwaps(hops: readonly Hop[], receipt: Receipt): ReadonlySet<Hop> {
  const payments = new Map(hops.map((hop) => [hop, paymentsFor(hop, hops, receipt)]))
  const isPaidBy = (hop: Hop, is: (payment: Move) => boolean) => (payments.get(hop) ?? []).some(is)
  const isByContract = (hop: Hop) => isPaidBy(hop, (payment) => isContracts(payment, hops, receipt))
  const isOfStock = (hop: Hop) => isPaidBy(hop, (payment) => isStock(payment, hops, receipt))
  const isTraders = (hop: Hop) => isPaidBy(hop, () => true) && !isByContract(hop) && !isOfStock(hop)

  const own = new Set<Hop>()
  for (const hop of hops) {
    const goesToContract = [hop.tokenIn, hop.tokenOut, ...BURNT].includes(hop.recipient ?? '')
    const another = hops.some((other) => other !== hop && other.tokenIn === hop.tokenIn && isTraders(other))
    if (isByContract(hop) || goesToContract || (isOfStock(hop) && another)) own.add(hop)
  }
  const meanwhile = [...own].flatMap((hop) => underWay(hop, own, hops, receipt))
  for (const hop of meanwhile) own.add(hop)
  return own.size === hops.length ? new Set() : own
}

/** Returns the transfers into a hop's pool that paid for it: those since the pool's previous swap. */
function paymentsFor({ pool, tokenIn, logIndex }: Hop, hops: readonly Hop[], { moves }: Receipt): Move[] {
  const before = hops.filter((one) => one.pool.address === pool.address && one.logIndex < logIndex)
  const since = Math.max(-1, ...before.map((one) => one.logIndex))
  return moves.filter((move) => {
    return move.token === tokenIn && move.to === pool.address && since < move.logIndex && move.logIndex < logIndex
  })
}

/** Returns whether the payer is the token's contract, or an account, not a pool, that got some of the token from it. */
function isContracts({ token, from, logIndex }: Move, hops: readonly Hop[], { moves }: Receipt): boolean {
  if (from === token) return true
  if (hops.some(({ pool }) => pool.address === from)) return false
  return moves.some((move) => {
    return move.token === token && move.from === token && move.to === from && move.logIndex < logIndex
  })
}

/** Returns whether the payer had received too little of the token, and is neither the signer nor a pool. */
function isStock(payment: Move, hops: readonly Hop[], { moves, signer, wrappedNative }: Receipt): boolean {
  const { token, from, amount, logIndex } = payment
  // The wrapped coin has no tax to sell.
  if (token === wrappedNative || from === signer || hops.some(({ pool }) => pool.address === from)) return false
  const gifts = moves.filter(
    (move) => move.token === token && move.to === from && move.from !== from && move.logIndex < logIndex,
  )
  const given = gifts.reduce((sum, gift) => sum + gift.amount, 0n)
  return 10n * given < 9n * amount
}

/**
 * Returns the hops between a token's own sale and the payment for the next sale of that token, while a transfer is
 * under way.
 */
function underWay(sale: Hop, own: ReadonlySet<Hop>, hops: readonly Hop[], receipt: Receipt): Hop[] {
  const next = hops.find((hop) => !own.has(hop) && hop.tokenIn === sale.tokenIn && hop.logIndex > sale.logIndex)
  const paid = next === undefined ? [] : paymentsFor(next, hops, receipt).map(({ logIndex }) => logIndex)
  return hops.filter(({ logIndex }) => sale.logIndex < logIndex && logIndex < Math.max(-1, ...paid))
}
