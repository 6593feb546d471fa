import { divideUp, larger } from '../../maths/integers.ts'

const TWO_POW_256 = 1n << 256n

/**
 * Returns the amount of token0 between two square-root prices (`lower` < `upper`, Q64.96), in base units. This is
 * Uniswap V3 `SqrtPriceMath.getAmount0Delta`, which rounds after each of its two divisions.
 */
export function getAmount0Delta(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = (liquidity << 96n) * (upper - lower)
  return roundUp ? divideUp(divideUp(product, upper), lower) : product / upper / lower
}

/** Returns the amount of token1 between two square-root prices, in base units: Uniswap V3 `getAmount1Delta`. */
export function getAmount1Delta(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (upper - lower)
  return roundUp ? (product + 0xffffffffffffffffffffffffn) >> 96n : product >> 96n
}

/**
 * Returns the square-root price after an input without its fee, rounded so that it moves less. This is Uniswap V3
 * `SqrtPriceMath.getNextSqrtPriceFromInput`. `liquidity` must be positive.
 */
export function getNextSqrtPriceFromInput(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amountIn: bigint,
  zeroForOne: boolean,
): bigint {
  if (!zeroForOne) return sqrtPriceX96 + (amountIn << 96n) / liquidity
  if (amountIn === 0n) return sqrtPriceX96
  const numerator = liquidity << 96n
  const product = amountIn * sqrtPriceX96
  const denominator = numerator + product
  // The contract falls back to a coarser formula if the product or the sum overflows. If the exact sum is below 2^256,
  // neither does.
  return denominator < TWO_POW_256
    ? divideUp(numerator * sqrtPriceX96, denominator)
    : divideUp(numerator, numerator / sqrtPriceX96 + amountIn)
}

/**
 * Returns the smallest input, without the fee, for which getNextSqrtPriceFromInput gives an output, rounded down, of at
 * least `amountOut`; null if there is none. `liquidity` must be positive.
 */
export function minInputWithin(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amountOut: bigint,
  zeroForOne: boolean,
): bigint | null {
  const scaled = liquidity << 96n
  if (!zeroForOne) {
    const rest = scaled - amountOut * sqrtPriceX96
    if (rest <= 0n) return null
    const end = divideUp(scaled * sqrtPriceX96, rest)
    return getAmount1Delta(sqrtPriceX96, end, liquidity, true)
  }
  const end = sqrtPriceX96 - divideUp(amountOut << 96n, liquidity)
  if (end <= 0n) return null
  const input = divideUp(scaled * (sqrtPriceX96 - end), end * sqrtPriceX96)
  if (scaled + input * sqrtPriceX96 < TWO_POW_256) return input
  const firstCoarse = divideUp(TWO_POW_256 - scaled, sqrtPriceX96)
  const coarseInput = divideUp(scaled, end) - scaled / sqrtPriceX96
  return larger(firstCoarse, coarseInput)
}
