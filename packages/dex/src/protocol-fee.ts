import type { ConcentratedState } from './pool-state.ts'

const MILLION = 1_000_000
const SHARE_BITS = 12
const SHARE_MASK = 0xfff

/**
 * The fee of a Uniswap V4 pool whose protocol takes a share of what is paid in: the pool's fee, of what that leaves
 * (ProtocolFeeLibrary.calculateSwapFee, rounded up). No share: the pool's own fee, so nothing.
 *
 * @param fee the pool's own, in millionths
 * @param shares in millionths: 12 bits for swaps that pay token0, then 12 for those that pay token1
 */
export function feeWithShares(fee: number, shares: number): Pick<ConcentratedState, 'fee'> {
  if (shares === 0) return {}
  const of = (share: number) => share + fee - Math.floor((share * fee) / MILLION)
  return {
    fee: { zeroForOne: of(shares & SHARE_MASK), oneForZero: of((shares >> SHARE_BITS) & SHARE_MASK), exact: true },
  }
}
