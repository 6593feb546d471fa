import type { Address } from './chain/hex.ts'

/** State of a Uniswap V2 style pair. */
export interface PairState {
  kind: 'pair'
  reserve0: bigint
  reserve1: bigint
  /** Where contracts tell the fee, which may change; else it is the pool's own. */
  fee?: MovingFee
}

/** State of a concentrated-liquidity pool, without its ticks. */
export interface ConcentratedState {
  kind: 'concentrated'
  sqrtPriceX96: bigint
  tick: number
  /** In-range liquidity at `tick`. */
  liquidity: bigint
  /** Where the fee moves with the state; else it is the pool's own. */
  fee?: MovingFee
}

/** A swap fee as a pool last set it, in millionths. */
export interface MovingFee {
  /** Of swaps that pay token0. */
  zeroForOne: number
  /** Of swaps that pay token1. */
  oneForZero: number
  /** False while more than liquidity and fee decides what a swap gives (a plugin, limit orders): it is not quoted. */
  exact: boolean
}

/** Fees are in millionths. */
export const FEE_UNITS = 1_000_000n

/** A fee of both directions, in millionths; null: it leaves nothing to trade. */
export function feeBothWays(fee: bigint): Pick<MovingFee, 'zeroForOne' | 'oneForZero'> | null {
  return fee < FEE_UNITS ? { zeroForOne: Number(fee), oneForZero: Number(fee) } : null
}

export type PoolState = PairState | ConcentratedState

/** Whether a pool can be in a state: amounts are neither below nothing nor more than its contract's words hold. */
export function isPossibleState(state: PoolState): boolean {
  if (state.kind === 'pair') return isWithin(state.reserve0, 256n) && isWithin(state.reserve1, 256n)
  return isWithin(state.liquidity, 128n) && isWithin(state.sqrtPriceX96, 160n)
}

function isWithin(value: bigint, bits: bigint): boolean {
  return value >= 0n && value >> bits === 0n
}

/** An initialised tick: liquidity that references it and the net change when the price crosses it upwards. */
export interface TickLiquidity {
  tick: number
  gross: bigint
  net: bigint
}

/**
 * Returns whether these can be all ticks of a pool: the net liquidity up to the pool's tick is the liquidity in range
 * (whitepaper of Uniswap V3, 6.3), and the net liquidity of all is 0. No tick's net exceeds its gross.
 */
export function addsUp({ tick: current, liquidity }: ConcentratedState, ticks: readonly TickLiquidity[]): boolean {
  let below = 0n
  let all = 0n
  for (const { tick, gross, net } of ticks) {
    if (gross < net || gross < -net) return false
    if (tick <= current) below += net
    all += net
  }
  return below === liquidity && all === 0n
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
