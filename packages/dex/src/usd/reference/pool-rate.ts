import type { Address } from '../../chain/hex.ts'

/** What a pool tells of a token's price. */
export interface PoolRate {
  token: Address
  /** The stablecoin. */
  quote: Address
  /** USD per whole token, scaled by 1e18. */
  price: bigint
  /** USD that the pool pays within 2 % below that price, scaled by 1e18. */
  bid: bigint
  /** Whole tokens that it sells within 2 % above, scaled by 1e18. */
  ask: bigint
}

/** What a pool told over the blocks that count. */
export interface SettledRate extends PoolRate {
  /** The pool told its last price long ago. */
  isOld: boolean
}
