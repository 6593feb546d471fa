import type { Hex, PoolAddress, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import type { Network } from '../generated/client.ts'
import { readTogether, type Stored } from '../stored.ts'
import { networkRow, toNetwork } from '../tables/network.ts'
import { distrustedPools, poolStatesOf, toDistrusted, toPoolState } from '../tables/pool-state.ts'
import { ticksOf, toTick } from '../tables/pool-tick.ts'

/** What is stored of pools, as of one committed block. */
export interface CommittedStates {
  /** Null: nothing is committed yet. */
  head: { number: number; hash: Hex } | null
  states: PoolStateAt[]
  /** Initialised ones only. */
  ticks: TickLiquidityAt[]
}

/** The newest states of those of some pools that have one and are not distrusted, as of one moment. */
export async function readCommittedStates(
  db: Db,
  chainId: number,
  pools: readonly PoolAddress[],
): Promise<CommittedStates> {
  const found = await readTogether<{
    network: Stored<Network>
    distrusted: Parameters<typeof toDistrusted>[0]
    states: Parameters<typeof toPoolState>[0]
    ticks: Parameters<typeof toTick>[0]
  }>(db, {
    network: networkRow(chainId),
    distrusted: distrustedPools(chainId),
    states: poolStatesOf(chainId, pools),
    ticks: ticksOf(chainId, pools),
  })
  const distrusted = new Set(found.distrusted.map((row) => toDistrusted(row).pool))
  const isTrusted = ({ pool }: { pool: PoolAddress }) => !distrusted.has(pool)
  const [row] = found.network
  return {
    head: row === undefined ? null : toNetwork(row).head,
    states: found.states.map(toPoolState).filter(isTrusted),
    ticks: found.ticks.map(toTick).filter(isTrusted),
  }
}
