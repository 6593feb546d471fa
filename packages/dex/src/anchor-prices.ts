import type { Address } from './chain.ts'

/** Prices are integers scaled by 1e18. */
export const USD = 10n ** 18n

export interface AnchorPrice {
  /** USD per whole token, scaled by 1e18. */
  priceE18: bigint
  decimals: number
  depegged: boolean
  /** Whether most of the money is in pools without a price event in the last half hour. */
  isOld: boolean
}

/** Trusted prices before a block. A token without an entry has no price. */
export interface AnchorPrices {
  stablecoins: ReadonlyMap<Address, AnchorPrice>
  native: ReadonlyMap<Address, AnchorPrice>
  others: ReadonlyMap<Address, AnchorPrice>
}

/** Returns an amount's value in USD, scaled by 1e8 and rounded down. */
export function valueE8(amount: bigint, { priceE18, decimals }: Pick<AnchorPrice, 'priceE18' | 'decimals'>): bigint {
  return (amount * priceE18) / (DIVISORS[decimals] ?? divisorOf(decimals))
}

/** Cancels the price's 1e18 and the token's decimals, but keeps 1e8. */
function divisorOf(decimals: number): bigint {
  return 10n ** BigInt(decimals + 10)
}

const DIVISORS = Array.from({ length: 19 }, (_, decimals) => divisorOf(decimals))

export function everyAnchor({ stablecoins, native, others }: AnchorPrices): ReadonlyMap<Address, AnchorPrice> {
  return new Map([...others, ...stablecoins, ...native])
}

/**
 * Returns the value of a pool's anchors in USD, scaled by 1e8 and rounded down, or null if it holds none. Other tokens
 * have no price, because anyone can mint them to make a pool look large.
 */
export function heldE8(
  { token0, token1 }: { token0: Address; token1: Address },
  [amount0, amount1]: readonly [bigint, bigint],
  anchors: ReadonlyMap<Address, AnchorPrice>,
): bigint | null {
  const price0 = anchors.get(token0)
  const price1 = anchors.get(token1)
  if (price0 === undefined && price1 === undefined) return null
  return (price0 ? valueE8(amount0, price0) : 0n) + (price1 ? valueE8(amount1, price1) : 0n)
}
