import type { Address } from '../chain/hex.ts'
import { type AnchorPrice, type AnchorPrices, valueE8 } from './anchor-prices.ts'

/** The prices of all anchors, by address. */
export function everyAnchor({ stablecoins, native, others }: AnchorPrices): ReadonlyMap<Address, AnchorPrice> {
  return new Map([...others, ...stablecoins, ...native])
}

/**
 * What a pool's money is worth, in USD scaled by 1e8, rounded down: its anchors' amounts at their prices. Another token
 * has no price (docs/internals/usd.md), so that nobody makes a pool large by what he alone can make. Null where it holds no
 * token with a price.
 */
export function heldE8(
  { token0, token1 }: { token0: Address; token1: Address },
  [amount0, amount1]: readonly [bigint, bigint],
  anchors: ReadonlyMap<Address, AnchorPrice>,
): bigint | null {
  const [price0, price1] = [anchors.get(token0), anchors.get(token1)]
  if (price0 === undefined && price1 === undefined) return null
  return (price0 ? valueE8(amount0, price0) : 0n) + (price1 ? valueE8(amount1, price1) : 0n)
}
