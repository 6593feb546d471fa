import { Groups, type MarketSeed, type PoolAddress, type TickLiquidityAt } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { hexOf, readTogether } from '../stored.ts'
import { invalidatedPoolsAt } from '../tables/invalidated-pool.ts'
import { readQuotablePools } from '../tables/pool.ts'
import { type PoolStateRow, poolStatesOf, toPoolState } from '../tables/pool-state.ts'
import { type TickRow, ticksOf, toTick } from '../tables/pool-tick.ts'

/** Returns pools with their state after a block, without those whose state then was not known or wrong. */
export async function readPoolsAt(
  db: Db,
  chainId: number,
  block: number,
  pools: readonly PoolAddress[],
): Promise<MarketSeed[]> {
  const found = await readTogether<{ states: PoolStateRow; ticks: TickRow; invalidated: { pool: string } }>(db, {
    states: poolStatesOf(chainId, pools, block),
    ticks: ticksOf(chainId, pools, block),
    invalidated: invalidatedPoolsAt(chainId, block),
  })
  const stored = new Map((await readQuotablePools(db, chainId, pools)).map((pool) => [pool.address, pool]))
  for (const { pool } of found.invalidated) stored.delete(hexOf(pool))
  const ticks = new Groups<PoolAddress, TickLiquidityAt>()
  for (const tick of found.ticks.map(toTick)) ticks.add(tick.pool, tick)
  return found.states.map(toPoolState).flatMap(({ pool: address, state }): MarketSeed[] => {
    const pool = stored.get(address)
    if (pool === undefined) return []
    return [{ pool, state, ...(pool.tickSpacing !== null && { ticks: ticks.of(address) }) }]
  })
}
