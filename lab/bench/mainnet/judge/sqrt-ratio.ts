import { sqrt } from '@dexfeed/fake-node/pool-math'

/** Bits that the powers are worked out with: more than their rounding could need. */
const PRECISION = 384n
const ONE_Q128 = 1n << 128n
const MAX_UINT256 = 2n ** 256n - 1n
const POWERS = powers()

/**
 * sqrt(1.0001^tick) as Q64.96, rounded up, as Uniswap V3 `TickMath.getSqrtRatioAtTick` gives it. Its constants are worked
 * out here and not copied, so that what is judged by this has nothing in common with it.
 */
export function sqrtRatioAt(tick: number): bigint {
  const bits = Math.abs(tick)
  const ratio = POWERS.reduce((kept, power, i) => (((bits >> i) & 1) === 1 ? (kept * power) >> 128n : kept), ONE_Q128)
  const upright = tick > 0 ? MAX_UINT256 / ratio : ratio
  return (upright + 2n ** 32n - 1n) >> 32n
}

/** 1.0001^(-2^i / 2) as Q128.128, to the nearest. */
function powers(): bigint[] {
  const one = 1n << PRECISION
  const below = PRECISION - 128n
  let power = sqrt((one * one * 10_000n) / 10_001n)
  return Array.from({ length: 20 }, () => {
    const rounded = (power + (1n << (below - 1n))) >> below
    power = (power * power) >> PRECISION
    return rounded
  })
}
