import type { Hop } from './receipt/hops.ts'
import type { Move } from './receipt/moves-in-logs.ts'
import { BURNT, type Receipt } from './receipt/receipt.ts'

/**
 * Returns the hops that token contracts made. If these were all hops, returns none, unless contracts sold their own
 * stock.
 */
export function ownSwaps(hops: readonly Hop[], receipt: Receipt): ReadonlySet<Hop> {
  const payments = new Map(hops.map((hop) => [hop, paymentsFor(hop, hops, receipt)]))
  const isPaidBy = (hop: Hop, is: (payment: Move) => boolean) => (payments.get(hop) ?? []).some(is)
  const isByContract = (hop: Hop) => isPaidBy(hop, (payment) => isContracts(payment, hops, receipt))
  const isOfStock = (hop: Hop) => isPaidBy(hop, (payment) => isStock(payment, hops, receipt))
  const isTraders = (hop: Hop) => isPaidBy(hop, () => true) && !isByContract(hop) && !isOfStock(hop)

  const payers = (hop: Hop) => new Set((payments.get(hop) ?? []).map(({ from }) => from))

  const own = new Set<Hop>()
  for (const hop of hops) {
    const goesToContract = [hop.tokenIn, hop.tokenOut, ...BURNT].includes(hop.recipient ?? '')
    const others = hops.filter((other) => other !== hop && other.tokenIn === hop.tokenIn && isTraders(other))
    const isStocks = others.length > 0 && !others.some((other) => isPaidBy(other, ({ from }) => payers(hop).has(from)))
    if (isByContract(hop) || goesToContract || (isOfStock(hop) && isStocks)) own.add(hop)
  }
  const sources = new Map(hops.map((hop) => [hop, sourceOf(hop, payments.get(hop) ?? [], hops, receipt)]))
  const isPaidByOwn = (hop: Hop) => {
    const source = sources.get(hop)
    return source !== undefined && own.has(source)
  }
  const meanwhile = [...own].filter((hop) => !isPaidByOwn(hop)).flatMap((hop) => underWay(hop, own, hops, receipt))
  for (const hop of meanwhile) own.add(hop)
  for (const hop of hops) if (isPaidByOwn(hop)) own.add(hop)
  const isContractsStock = (hop: Hop) =>
    isPaidBy(hop, (payment) => payment.from === payment.token && hadLittle(payment, receipt))
  const areTokens = hops.length > 1 && hops.every((hop) => isPaidByOwn(hop) || isContractsStock(hop))
  return own.size === hops.length && !areTokens ? new Set() : own
}

/** Returns the last hop that paid the pool or, if there is none, that paid the account which paid the pool. */
function sourceOf(
  { pool, tokenIn, logIndex }: Hop,
  payments: readonly Move[],
  hops: readonly Hop[],
  { signer }: Receipt,
): Hop | undefined {
  if (payments.some(({ from }) => from === signer)) return undefined
  const before = hops.filter((hop) => hop.tokenOut === tokenIn && hop.logIndex < logIndex)
  return (
    before.findLast((hop) => hop.recipient === pool.address) ??
    before.findLast((hop) => payments.some(({ from }) => from === hop.recipient || from === hop.pool.address))
  )
}

/** Returns the transfer since the pool's previous swap whose amount is nearest to the hop's. The last wins a tie. */
function paymentsFor({ pool, tokenIn, amountIn, logIndex }: Hop, hops: readonly Hop[], { moves }: Receipt): Move[] {
  const before = hops.filter((hop) => hop.pool.address === pool.address && hop.logIndex < logIndex)
  const since = Math.max(-1, ...before.map((hop) => hop.logIndex))
  const paid = moves.filter((move) => {
    return move.token === tokenIn && move.to === pool.address && since < move.logIndex && move.logIndex < logIndex
  })
  const off = ({ amount }: Move) => (amount < amountIn ? amountIn - amount : amount - amountIn)
  const least = paid.reduce<bigint | null>((min, move) => (min === null || off(move) < min ? off(move) : min), null)
  return paid.filter((move) => off(move) === least).slice(-1)
}

/**
 * Returns whether the token's contract paid, or an account (but not a pool) that got some of the token from the
 * contract.
 */
function isContracts({ token, from, logIndex }: Move, hops: readonly Hop[], { moves }: Receipt): boolean {
  if (from === token) return true
  if (hops.some(({ pool }) => pool.address === from)) return false
  return moves.some((move) => {
    return move.token === token && move.from === token && move.to === from && move.logIndex < logIndex
  })
}

function isStock(payment: Move, hops: readonly Hop[], receipt: Receipt): boolean {
  const { signer, wrappedNative } = receipt
  const { token, from } = payment
  // No tax is taken in the wrapped coin.
  if (token === wrappedNative || from === signer || hops.some(({ pool }) => pool.address === from)) return false
  return hadLittle(payment, receipt)
}

function hadLittle({ token, from, amount, logIndex }: Move, { moves }: Receipt): boolean {
  const gifts = moves.filter(
    (move) => move.token === token && move.to === from && move.from !== from && move.logIndex < logIndex,
  )
  const given = gifts.reduce((sum, gift) => sum + gift.amount, 0n)
  return 10n * given < 9n * amount
}

/** Returns the hops between a token's own sale and the payment for its next sale, while a transfer is under way. */
function underWay(sale: Hop, own: ReadonlySet<Hop>, hops: readonly Hop[], receipt: Receipt): Hop[] {
  const later = hops.filter((hop) => !own.has(hop) && hop.logIndex > sale.logIndex)
  const next = later.find((hop) => hop.tokenIn === sale.tokenIn) ?? later.find((hop) => hop.tokenIn === sale.tokenOut)
  if (next === undefined) return []
  const [paid] = paymentsFor(next, hops, receipt)
  const signers = receipt.moves.find(
    ({ token, from, logIndex }) => token === next.tokenIn && from === receipt.signer && logIndex > sale.logIndex,
  )
  const end = Math.min(paid?.logIndex ?? next.logIndex, signers?.logIndex ?? Number.POSITIVE_INFINITY)
  return later.filter(
    (hop) => hop.logIndex < end && !paymentsFor(hop, hops, receipt).some(({ from }) => from === receipt.signer),
  )
}
