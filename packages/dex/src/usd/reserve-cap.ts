import type { Address } from '../chain/hex.ts'
import type { Hop } from '../trades/trade.ts'

/**
 * The most of a token that can have moved: what the pools held of it before plus what was paid in. Null where one of
 * those pools is not a pair, whose events tell its reserves.
 */
export function reserveCap(hops: readonly Hop[], token: Address): bigint | null {
  let cap = 0n
  for (const { pool, tokenIn, tokenOut, amountIn, reservesBefore } of hops) {
    if (tokenIn !== token && tokenOut !== token) continue
    if (reservesBefore === null) return null
    cap += (pool.token0 === token ? reservesBefore[0] : reservesBefore[1]) + (tokenIn === token ? amountIn : 0n)
  }
  return cap
}
