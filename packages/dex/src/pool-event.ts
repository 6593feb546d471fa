import type { Address } from './hex.ts'
import type { ConcentratedState } from './pool-state.ts'

/** What a pool's log says, before anybody asked whether the pool is authentic. */
export type PoolEvent = SwapEvent | ReservesEvent | InitializeEvent | LiquidityEvent

interface FromLog {
  pool: Address
  transactionIndex: number
  logIndex: number
}

/** Net amounts from the pool's point of view: positive entered the pool, negative left it. */
export interface SwapEvent extends FromLog {
  type: 'swap'
  family: PoolFamily
  amount0: bigint
  amount1: bigint
  /** State after the swap, where the event tells it. */
  state: ConcentratedState | null
}

/** Reserves of a pair after any change. */
export interface ReservesEvent extends FromLog {
  type: 'reserves'
  family: 'pair'
  reserve0: bigint
  reserve1: bigint
}

/** First price of a concentrated-liquidity pool. */
export interface InitializeEvent extends FromLog {
  type: 'initialize'
  family: 'concentrated'
  sqrtPriceX96: bigint
  tick: number
}

/** Liquidity added to (positive) or removed from a tick range. */
export interface LiquidityEvent extends FromLog {
  type: 'liquidity'
  family: 'concentrated'
  tickLower: number
  tickUpper: number
  delta: bigint
}

/** How a pool keeps its state, and so which questions it answers about itself. */
export type PoolFamily = 'pair' | 'concentrated'
