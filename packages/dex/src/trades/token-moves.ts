import type { Address } from '../chain.ts'
import { Counts, Groups } from '../totals.ts'
import { keeperOf } from '../venues/managed-pool.ts'
import { protocolOf } from '../venues/registry.ts'
import type { TokenTransfer } from './receipt/receipt-flows.ts'
import { isFeeBetweenHops } from './routes.ts'
import type { Hop, TokenMove, Trade } from './trade.ts'

const NO_KEEPERS: ReadonlySet<Address> = new Set()
/** Less than this fraction (1/10,000) may be missing, because some tokens round balances. */
const ROUNDING_DIVISOR = 10_000n

/**
 * Returns the tokens that each account moved from pool to pool, and the trusted tokens that arrived short. Never
 * combines hops of two accounts.
 */
export function transactionMoves(
  trades: readonly Trade[],
  hops: readonly Hop[],
  transfers: readonly TokenTransfer[],
  trusted: ReadonlySet<Address>,
): TokenMove[] {
  const short = shortPayments(hops, transfers, trusted)
  if (trades.length === 1) return [...tokenMoves(hops, trusted), ...short]
  // In the order of trades, including those without hops.
  const byAccount = new Groups<Address | null, Hop>(trades.map(({ settledFor }) => [settledFor, []]))
  for (const trade of trades) for (const hop of trade.hops) byAccount.add(trade.settledFor, hop)
  const moves = new Map<Address, boolean>()
  for (const ofAccount of byAccount.values()) {
    for (const { token, isWhole } of tokenMoves(ofAccount, trusted)) {
      moves.set(token, isWhole && moves.get(token) !== false)
    }
  }
  return [...[...moves].map(([token, isWhole]) => ({ token, isWhole })), ...short]
}

/**
 * Returns the tokens that hops carried from one pool into another. A token arrived whole if one pool received exactly
 * what another paid. It was taxed if a pool that another paid directly received less, or if more than a fee was lost on
 * its only way between pools. Other differences prove nothing, nor do pools of one vault, which only updates its books.
 *
 * @param trusted tokens that need no such proof
 */
export function tokenMoves(hops: readonly Hop[], trusted: ReadonlySet<Address>): TokenMove[] {
  if (hops.length < 2) return []
  const payers = new Groups<Address, Hop>()
  const takers = new Groups<Address, Hop>()
  for (const hop of hops) {
    payers.add(hop.tokenOut, hop)
    takers.add(hop.tokenIn, hop)
  }
  return [...payers].flatMap(([token, paying]) => {
    const isWhole = trusted.has(token) ? null : arrivedWhole(paying, takers.of(token))
    return isWhole === null ? [] : [{ token, isWhole }]
  })
}

/**
 * Returns the trusted tokens that a pool paid short: the token's transfers are smaller than the payment that the pool
 * reports, which only the token itself can cause. Hops and transfers are in log order.
 */
export function shortPayments(
  hops: readonly Hop[],
  transfers: readonly TokenTransfer[],
  trusted: ReadonlySet<Address>,
): TokenMove[] {
  const paying = hops.filter(({ pool, tokenOut }) => protocolOf(pool.dex.kind).paysAtOnce && trusted.has(tokenOut))
  if (paying.length === 0) return []
  const paidBy = new Map<string, TokenTransfer[]>(paying.map(({ pool }) => [pool.address, []]))
  for (const transfer of transfers) paidBy.get(transfer.from)?.push(transfer)
  const next = new Counts<string>()
  const short = new Set<Address>()
  for (const { pool, tokenOut, amountOut, logIndex } of paying) {
    const ofPool = paidBy.get(pool.address) ?? []
    let sum = 0n
    let largest = 0n
    let place = next.of(pool.address)
    for (
      let transfer = ofPool[place];
      transfer !== undefined && transfer.logIndex < logIndex;
      transfer = ofPool[++place]
    ) {
      if (transfer.token !== tokenOut) continue
      sum += transfer.amount
      if (transfer.amount > largest) largest = transfer.amount
    }
    next.set(pool.address, place)
    // If the transfers exceed what the pool reports, it took part of them back, which is no tax.
    const isPayment = largest > 0n && sum <= amountOut
    if (isPayment && largest * ROUNDING_DIVISOR < amountOut * (ROUNDING_DIVISOR - 1n)) short.add(tokenOut)
  }
  return [...short].map((token) => ({ token, isWhole: false }))
}

function arrivedWhole(payers: readonly Hop[], takers: readonly Hop[]): boolean | null {
  const largest = new Map<Address, bigint>()
  const keepersOf = new Map<bigint, Set<Address>>()
  for (const { pool, amountIn } of takers) {
    if (amountIn > (largest.get(pool.address) ?? -1n)) largest.set(pool.address, amountIn)
    keepersOf.set(amountIn, (keepersOf.get(amountIn) ?? new Set()).add(keeperOf(pool)))
  }
  const isTaxed = payers.some(({ pool, recipient, amountOut }) => {
    const taken = recipient === null || recipient === pool.address ? undefined : largest.get(recipient)
    return taken !== undefined && taken < amountOut
  })
  if (isTaxed) return false
  const isOther = (keepers: ReadonlySet<Address>, pool: Hop['pool']) =>
    keepers.size > 1 || (keepers.size === 1 && !keepers.has(keeperOf(pool)))
  if (payers.some(({ pool, amountOut }) => isOther(keepersOf.get(amountOut) ?? NO_KEEPERS, pool))) return true
  const [payer] = payers
  const [taker] = takers
  if (!payer || !taker || payers.length + takers.length > 2 || keeperOf(payer.pool) === keeperOf(taker.pool))
    return null
  const isShort = taker.amountIn < payer.amountOut && !isFeeBetweenHops(payer.amountOut, taker.amountIn)
  return isShort ? false : null
}
