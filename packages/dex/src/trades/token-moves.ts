import type { Address } from '../chain/hex.ts'
import { keeperOf } from '../protocols/managed-pool.ts'
import { isFeeBetweenHops } from './fee-between-hops.ts'
import type { Hop, TokenMove } from './trade.ts'

/**
 * The tokens that a transaction carried from one pool into another, and whether they arrived whole: one pool took in
 * exactly what another paid out. A tax on transfers shows in what a pool took: pairs measure it by their balances, and
 * others refuse to be paid less. It is told where a pool was paid by another directly and took less, and where a token
 * passed through other hands on its one way from pool to pool and lost more than the fee that these may take. Whatever
 * else differs (branches, parts that were kept) tells nothing. Pools of one vault pass tokens on in its books alone,
 * which tells nothing either.
 *
 * @param hops of one transaction, in any order
 * @param trusted tokens that nobody needs to know this of
 */
export function tokenMoves(hops: readonly Hop[], trusted: ReadonlySet<Address>): TokenMove[] {
  if (hops.length < 2) return []
  const tokens = new Set(hops.map(({ tokenOut }) => tokenOut))
  return [...tokens].flatMap((token) => {
    if (trusted.has(token)) return []
    const payers = hops.filter(({ tokenOut }) => tokenOut === token)
    const takers = hops.filter(({ tokenIn }) => tokenIn === token)
    const isWhole = arrivedWhole(payers, takers)
    return isWhole === null ? [] : [{ token, isWhole }]
  })
}

function arrivedWhole(payers: readonly Hop[], takers: readonly Hop[]): boolean | null {
  const isTaxed = payers.some((payer) => {
    const paid = takers.filter(({ pool }) => pool.address === payer.recipient && pool.address !== payer.pool.address)
    return paid.length > 0 && paid.every(({ amountIn }) => amountIn < payer.amountOut)
  })
  if (isTaxed) return false
  const moves = payers.flatMap((payer) =>
    takers.filter(({ pool }) => keeperOf(pool) !== keeperOf(payer.pool)).map((taker) => ({ payer, taker })),
  )
  if (moves.some(({ payer, taker }) => payer.amountOut === taker.amountIn)) return true
  const [payer, taker] = [payers[0], takers[0]]
  if (moves.length === 0 || !payer || !taker || payers.length + takers.length > 2) return null
  const isShort = taker.amountIn < payer.amountOut && !isFeeBetweenHops(payer.amountOut, taker.amountIn)
  return isShort ? false : null
}
