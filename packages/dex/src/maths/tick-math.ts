import { MAX_UINT256 } from '../abi/words.ts'

/** The tick range of Uniswap V3. */
export const MIN_TICK = -887272
export const MAX_TICK = 887272
/** Their square-root prices, as Q64.96. */
export const MIN_SQRT_RATIO = 4295128739n
export const MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342n

const ONE_Q128 = 1n << 128n
const LOW_32_BITS = 0xffffffffn
const Q96 = 2 ** 96
const LOG_SQRT_TICK = Math.log(1.0001) / 2

/** 1.0001^(-2^i / 2) as Q128.128, rounded as the contract's constants are. */
const POWERS: readonly bigint[] = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]

/**
 * Returns sqrt(1.0001^tick) as Q64.96, rounded up. Matches Uniswap V3's `TickMath.getSqrtRatioAtTick` bit for bit.
 *
 * @throws RangeError for a tick outside MIN_TICK to MAX_TICK
 */
export function getSqrtRatioAtTick(tick: number): bigint {
  if (!Number.isInteger(tick) || tick < MIN_TICK || tick > MAX_TICK) throw new RangeError(`no price at tick ${tick}`)
  let ratio = ONE_Q128
  let bits = Math.abs(tick)
  for (const power of POWERS) {
    if (bits === 0) break
    if ((bits & 1) === 1) ratio = (ratio * power) >> 128n
    bits >>= 1
  }
  if (tick > 0) ratio = MAX_UINT256 / ratio
  return (ratio >> 32n) + ((ratio & LOW_32_BITS) === 0n ? 0n : 1n)
}

/**
 * Returns the greatest tick whose square-root price is at most `sqrtPriceX96`, like Uniswap V3's
 * `TickMath.getTickAtSqrtRatio`.
 *
 * @throws RangeError for a price outside MIN_SQRT_RATIO to MAX_SQRT_RATIO - 1
 */
export function getTickAtSqrtRatio(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_RATIO || sqrtPriceX96 >= MAX_SQRT_RATIO) {
    throw new RangeError(`no tick at square-root price ${sqrtPriceX96}`)
  }
  const guess = Math.floor(Math.log(Number(sqrtPriceX96) / Q96) / LOG_SQRT_TICK)
  let tick = Math.min(Math.max(guess, MIN_TICK), MAX_TICK - 1)
  while (getSqrtRatioAtTick(tick) > sqrtPriceX96) tick--
  while (getSqrtRatioAtTick(tick + 1) <= sqrtPriceX96) tick++
  return tick
}
