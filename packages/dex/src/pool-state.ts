import type { Address } from './hex.ts'

/** State of a Uniswap V2 style pair. */
export interface PairState {
  kind: 'pair'
  reserve0: bigint
  reserve1: bigint
}

/** State of a concentrated-liquidity pool, without its ticks. */
export interface ConcentratedState {
  kind: 'concentrated'
  sqrtPriceX96: bigint
  tick: number
  /** In-range liquidity at `tick`. */
  liquidity: bigint
  /**
   * Uniswap V4: what the protocol takes of the amount paid in before the pool's fee, in millionths; the lower 12 bits of
   * swaps that pay token0, the upper 12 of those that pay token1. Absent: nothing.
   */
  protocolFee?: number
}

export type PoolState = PairState | ConcentratedState

/** An initialised tick: liquidity that references it and the net change when the price crosses it upwards. */
export interface TickLiquidity {
  tick: number
  gross: bigint
  net: bigint
}

/** State of a pool as of the end of a block. */
export interface PoolStateAt {
  pool: Address
  blockNumber: number
  state: PoolState
}

/** Liquidity of one tick as of the end of a block; gross 0 means the tick is no longer initialised. */
export interface TickLiquidityAt extends TickLiquidity {
  pool: Address
  blockNumber: number
}
