import type { QuotablePool } from '../../pool.ts'
import type { PoolState } from '../../pool-state.ts'
import type { TickList } from './tick-list.ts'

export interface PoolInState {
  readonly pool: QuotablePool
  readonly state: PoolState | null
  /** Null for pairs. */
  readonly ticks: TickList | null
}

/** Returns the fee of a direction in millionths: the state's if it changes, else the pool's. */
export function feeOf({ pool, state }: PoolInState, zeroForOne: boolean): number {
  const moving = state?.fee
  if (moving === undefined) return pool.fee
  return zeroForOne ? moving.zeroForOne : moving.oneForZero
}
