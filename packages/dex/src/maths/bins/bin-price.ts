import { MAX_UINT256 } from '../../abi/words.ts'

/** Prices have 128 fractional bits. */
export const PRICE_BITS = 128n
const ONE = 1n << PRICE_BITS
const BASIS_POINTS = 10_000n
/** The id of the bin whose price is 1. */
const MIDDLE_ID = 1 << 23
const EXPONENT_BITS = 20

/**
 * Returns a function for the price of token0 in token1, in base units with 128 fractional bits. It returns null if the
 * contract reverts because the price does not fit. Source: `PriceHelper.getPriceFromId` and `Uint128x128Math.pow`,
 * identical in joe-v2 and infinity-core.
 */
export function binPrices(binStep: bigint): (id: number) => bigint | null {
  const base = ONE + (binStep << PRICE_BITS) / BASIS_POINTS
  // A base above 1 is inverted, so that no square exceeds 128 bits.
  const squares = [MAX_UINT256 / base]
  for (let bit = 1; bit < EXPONENT_BITS; bit++) {
    const last = squares[bit - 1] as bigint
    squares.push((last * last) >> PRICE_BITS)
  }
  return (id) => {
    const exponent = id - MIDDLE_ID
    if (exponent === 0) return ONE
    const size = Math.abs(exponent)
    if (size >= 1 << EXPONENT_BITS) return null
    let result = ONE
    for (let bit = 0; bit < EXPONENT_BITS; bit++) {
      if ((size >> bit) & 1) result = (result * (squares[bit] as bigint)) >> PRICE_BITS
    }
    if (result === 0n) return null
    return exponent > 0 ? MAX_UINT256 / result : result
  }
}
