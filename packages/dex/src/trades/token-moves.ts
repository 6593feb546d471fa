import type { Address } from '../chain/hex.ts'
import { keeperOf } from '../protocols/managed-pool.ts'
import { isFeeBetweenHops } from './routes.ts'
import type { Hop, TokenMove } from './trade.ts'

const NO_KEEPERS: ReadonlySet<Address> = new Set()

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
  const [payers, takers] = [byToken(hops, 'tokenOut'), byToken(hops, 'tokenIn')]
  return [...payers].flatMap(([token, ofToken]) => {
    if (trusted.has(token)) return []
    const isWhole = arrivedWhole(ofToken, takers.get(token) ?? [])
    return isWhole === null ? [] : [{ token, isWhole }]
  })
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
  const [payer, taker] = [payers[0], takers[0]]
  if (!payer || !taker || payers.length + takers.length > 2 || keeperOf(payer.pool) === keeperOf(taker.pool))
    return null
  const isShort = taker.amountIn < payer.amountOut && !isFeeBetweenHops(payer.amountOut, taker.amountIn)
  return isShort ? false : null
}
