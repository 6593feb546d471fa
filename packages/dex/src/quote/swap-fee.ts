import type { PoolState } from '../pool-state.ts'

const MILLION = 1_000_000
const SHARE_BITS = 12
const SHARE_MASK = 0xfff

/**
 * What a swap pays in one direction, in millionths of its input: the pool's fee, of what the protocol's share leaves
 * (Uniswap V4 ProtocolFeeLibrary.calculateSwapFee, rounded up).
 */
export function swapFeeOf(fee: number, state: PoolState | null, zeroForOne: boolean): number {
  const shares = state?.kind === 'concentrated' ? (state.protocolFee ?? 0) : 0
  if (shares === 0) return fee
  const share = (zeroForOne ? shares : shares >> SHARE_BITS) & SHARE_MASK
  return share + fee - Math.floor((share * fee) / MILLION)
}
