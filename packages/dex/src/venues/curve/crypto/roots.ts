/** From this value on, scaling by 1e36 would overflow a word; from NOT_SCALED on, scaling by 1e18 would too. */
const SCALED_LESS = 115792089237316195423570985008687907853269n
const NOT_SCALED = SCALED_LESS * 10n ** 18n
const STEPS = 7

/**
 * Returns the cube root in units of 1e18, with the contract's error (`_cbrt` of CurveCryptoMathOptimized3 and
 * TwocryptoMath): seven Newton steps from a power of two.
 */
export function cubeRoot(value: bigint): bigint {
  if (value === 0n) return 0n
  let scaled = value
  if (value < SCALED_LESS) scaled = value * 10n ** 36n
  else if (value < NOT_SCALED) scaled = value * 10n ** 18n
  const log2 = bitLength(scaled) - 1
  const remainder = BigInt(log2 % 3)
  let root = (2n ** BigInt(Math.floor(log2 / 3)) * 1260n ** remainder) / 1000n ** remainder
  for (let step = 0; step < STEPS; step++) root = (2n * root + scaled / (root * root)) / 3n
  if (value >= NOT_SCALED) return root * 10n ** 12n
  return value >= SCALED_LESS ? root * 10n ** 6n : root
}

function bitLength(value: bigint): number {
  const digits = value.toString(16)
  return 4 * digits.length - (Math.clz32(Number.parseInt(digits.charAt(0), 16)) - 28)
}
