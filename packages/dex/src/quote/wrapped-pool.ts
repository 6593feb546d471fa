import { type Address, ZERO_ADDRESS } from '../chain/hex.ts'
import type { QuotablePool } from '../pool.ts'

/**
 * A pool as a market takes it: the native coin is its wrapper, which changes for it one for one, so that routes lead
 * through both. A pool of the two becomes one of a token for itself, which no route uses.
 */
export function withWrapper(pool: QuotablePool, wrappedNative: Address): QuotablePool {
  if (pool.token0 !== ZERO_ADDRESS && pool.token1 !== ZERO_ADDRESS) return pool
  const wrapped = (token: Address) => (token === ZERO_ADDRESS ? wrappedNative : token)
  return { ...pool, token0: wrapped(pool.token0), token1: wrapped(pool.token1) }
}
