import type { Address } from '../hex.ts'
import type { Pool } from '../pool.ts'
import type { PoolEvent, ReservesEvent, SwapEvent } from '../pool-event.ts'
import type { Hop } from '../trade.ts'

/** Why an event of an authentic pool is no hop. */
export type DropReason = 'nothing-sold' | 'nothing-bought'

export interface DroppedSwap {
  event: SwapEvent
  reason: DropReason
}

/**
 * The hops among a transaction's events, in log order. Events of pools that are not in `pools` are skipped: the caller
 * has asked the factories before. A pair's Sync comes right before its Swap, so the reserves before the swap are those
 * of the Sync less what the swap moved.
 */
export function toHops(
  events: readonly PoolEvent[],
  pools: ReadonlyMap<Address, Pool>,
): { hops: Hop[]; dropped: DroppedSwap[] } {
  const hops: Hop[] = []
  const dropped: DroppedSwap[] = []
  const lastSync = new Map<Address, ReservesEvent>()
  for (const event of events) {
    if (event.type === 'reserves') lastSync.set(event.pool, event)
    if (event.type !== 'swap') continue
    const pool = pools.get(event.pool)
    if (pool === undefined) continue
    const reason = dropReason(event)
    if (reason === null) hops.push(toHop(event, pool, lastSync.get(event.pool)))
    else dropped.push({ event, reason })
    lastSync.delete(event.pool)
  }
  return { hops, dropped }
}

/** One side must have entered the pool and the other left it; a flash swap repaid in its own token is no trade. */
function dropReason({ amount0, amount1 }: SwapEvent): DropReason | null {
  if (amount0 <= 0n && amount1 <= 0n) return 'nothing-sold'
  if (amount0 >= 0n && amount1 >= 0n) return 'nothing-bought'
  return null
}

function toHop({ amount0, amount1, logIndex }: SwapEvent, pool: Pool, sync: ReservesEvent | undefined): Hop {
  const reservesBefore = sync === undefined ? null : ([sync.reserve0 - amount0, sync.reserve1 - amount1] as const)
  return amount0 > 0n
    ? {
        pool,
        logIndex,
        tokenIn: pool.token0,
        amountIn: amount0,
        tokenOut: pool.token1,
        amountOut: -amount1,
        reservesBefore,
      }
    : {
        pool,
        logIndex,
        tokenIn: pool.token1,
        amountIn: amount1,
        tokenOut: pool.token0,
        amountOut: -amount0,
        reservesBefore,
      }
}
