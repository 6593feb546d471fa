import type { Address } from '../chain/hex.ts'
import { Counts } from '../totals.ts'
import { keeperOf } from '../venues/managed-pool.ts'
import { protocolOf } from '../venues/registry.ts'
import type { TokenTransfer } from './receipt/receipt-flows.ts'
import { isFeeBetweenHops } from './routes.ts'
import type { Hop, TokenMove } from './trade.ts'

const NO_KEEPERS: ReadonlySet<Address> = new Set()
/** A payment arrives short if more than this part (1/10,000) is missing; balances of some tokens are rounded. */
const ROUNDING_DIVISOR = 10_000n

/**
 * Returns the tokens that a transaction carried from one pool into another, and whether they arrived whole: one pool
 * received exactly what another paid out.
 *
 * A transfer tax shows in what a pool received. Pairs measure it by their balances, and other pools refuse to be paid
 * less. A token did not arrive whole in two cases:
 *
 * 1. a pool was paid directly by another and received less.
 * 2. the token passed through other accounts on its only way from pool to pool, and lost more than the fee that these
 *    may take.
 *
 * Other differences (branches, parts that were kept) show nothing. Neither do pools of one vault, which pass tokens on
 * in its books alone.
 *
 * @param hops of one transaction, in any order
 * @param trusted tokens that need no such proof
 */
export function tokenMoves(hops: readonly Hop[], trusted: ReadonlySet<Address>): TokenMove[] {
  if (hops.length < 2) return []
  const payers = byToken(hops, 'tokenOut')
  const takers = byToken(hops, 'tokenIn')
  return [...payers].flatMap(([token, ofToken]) => {
    if (trusted.has(token)) return []
    const isWhole = arrivedWhole(ofToken, takers.get(token) ?? [])
    return isWhole === null ? [] : [{ token, isWhole }]
  })
}

/**
 * Returns the trusted tokens of which a pool's payment arrived short: the token's own events show no transfer of what
 * the pool paid, but smaller ones. Nobody but the token can make that so. Whole payments of trusted tokens are not
 * reported.
 *
 * @param hops of one transaction, in log order
 * @param transfers of the transaction, in log order
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
    let at = next.of(pool.address)
    for (let transfer = ofPool[at]; transfer !== undefined && transfer.logIndex < logIndex; transfer = ofPool[++at]) {
      if (transfer.token !== tokenOut) continue
      sum += transfer.amount
      if (transfer.amount > largest) largest = transfer.amount
    }
    next.set(pool.address, at)
    // If the transfers exceed what the pool reports, it took a part back: that is no tax.
    const isPayment = largest > 0n && sum <= amountOut
    if (isPayment && largest * ROUNDING_DIVISOR < amountOut * (ROUNDING_DIVISOR - 1n)) short.add(tokenOut)
  }
  return [...short].map((token) => ({ token, isWhole: false }))
}

function byToken(hops: readonly Hop[], side: 'tokenIn' | 'tokenOut'): Map<Address, Hop[]> {
  const groups = new Map<Address, Hop[]>()
  for (const hop of hops) {
    const group = groups.get(hop[side])
    if (group === undefined) groups.set(hop[side], [hop])
    else group.push(hop)
  }
  return groups
}

function arrivedWhole(payers: readonly Hop[], takers: readonly Hop[]): boolean | null {
  // The largest amount that each pool received in one hop, and the keepers that received each amount.
  const most = new Map<Address, bigint>()
  const keepersOf = new Map<bigint, Set<Address>>()
  for (const { pool, amountIn } of takers) {
    if (amountIn > (most.get(pool.address) ?? -1n)) most.set(pool.address, amountIn)
    keepersOf.set(amountIn, (keepersOf.get(amountIn) ?? new Set()).add(keeperOf(pool)))
  }
  const isTaxed = payers.some(({ pool, recipient, amountOut }) => {
    const taken = recipient === null || recipient === pool.address ? undefined : most.get(recipient)
    return taken !== undefined && taken < amountOut
  })
  if (isTaxed) return false
  const isOther = (keepers: ReadonlySet<Address>, pool: Hop['pool']) =>
    keepers.size > 1 || (keepers.size === 1 && !keepers.has(keeperOf(pool)))
  if (payers.some(({ pool, amountOut }) => isOther(keepersOf.get(amountOut) ?? NO_KEEPERS, pool))) return true
  const payer = payers[0]
  const taker = takers[0]
  if (!payer || !taker || payers.length + takers.length > 2 || keeperOf(payer.pool) === keeperOf(taker.pool))
    return null
  const isShort = taker.amountIn < payer.amountOut && !isFeeBetweenHops(payer.amountOut, taker.amountIn)
  return isShort ? false : null
}
