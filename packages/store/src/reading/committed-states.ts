import type { PoolAddress, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import type { Network } from '../generated/client.ts'
import { readTogether, type Stored } from '../stored.ts'
import { type InvalidatedRow, invalidatedPools, toInvalidated } from '../tables/invalidated-pool.ts'
import { type NetworkRow, networkRow, toNetwork } from '../tables/network.ts'
import { type PoolStateRow, poolStatesOf, toPoolState } from '../tables/pool-state.ts'
import { type TickRow, ticksOf, toTick } from '../tables/pool-tick.ts'

export interface CommittedStates {
  head: NetworkRow['head']
  states: PoolStateAt[]
  /** Only initialised ticks. */
  ticks: TickLiquidityAt[]
}

export async function readCommittedStates(
  db: Db,
  chainId: number,
  pools: readonly PoolAddress[],
): Promise<CommittedStates> {
  const found = await readTogether<{
    network: Stored<Network>
    invalidated: InvalidatedRow
    states: PoolStateRow
    ticks: TickRow
  }>(db, {
    network: networkRow(chainId),
    invalidated: invalidatedPools(chainId),
    states: poolStatesOf(chainId, pools),
    ticks: ticksOf(chainId, pools),
  })
  const invalidated = new Set(found.invalidated.map((row) => toInvalidated(row).pool))
  const isValid = ({ pool }: { pool: PoolAddress }) => !invalidated.has(pool)
  const [row] = found.network
  return {
    head: row === undefined ? null : toNetwork(row).head,
    states: found.states.map(toPoolState).filter(isValid),
    ticks: found.ticks.map(toTick).filter(isValid),
  }
}
