import type { Hex, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { HeadMoved } from '../store-error.ts'
import { fence, moveRevision, type NetworkKey } from '../tables/network.ts'
import { writtenPoolStates } from '../tables/pool-state.ts'
import { replaceTicks } from '../tables/pool-tick.ts'

/** Whole states of pools, all ticks included, as read from the chain at one block. */
export interface PoolSnapshots {
  /** Of the writer's lease. */
  epoch: number
  /** The block they were read at: the committed head. */
  headHash: Hex
  states: readonly PoolStateAt[]
  ticks: readonly TickLiquidityAt[]
}

/**
 * Commits snapshots of pools at the committed head. Ticks of these pools that the snapshot does not hold are no
 * longer initialised.
 *
 * @throws LeaseLost, HeadMoved
 */
export async function commitPoolStates(
  database: Pick<Database, 'pool' | 'prisma'>,
  network: NetworkKey,
  { epoch, headHash, states, ticks }: PoolSnapshots,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    const { head, revision } = await fence(tx, network, epoch)
    if (head?.hash !== headHash) throw new HeadMoved(network.name, headHash, head?.hash ?? null)
    await replaceTicks(tx, network.chainId, revision + 1, states, ticks)
    await moveRevision(tx, network, revision + 1, writtenPoolStates(network.chainId, revision + 1, states))
  })
}
