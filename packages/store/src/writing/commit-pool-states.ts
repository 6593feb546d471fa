import type { Hex, PoolAddress, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { HeadMoved } from '../store-error.ts'
import { fence, moveRevision, type NetworkKey } from '../tables/network.ts'
import { deleteInvalidated, deleteOlderStates, readInvalidated, writtenPoolStates } from '../tables/pool-state.ts'
import { deleteOlderTicks, replaceTicks } from '../tables/pool-tick.ts'

/**
 * A whole state as of the committed head. It was read from the chain at `readAt` and brought forward by events since.
 */
export interface SnapshotAt extends PoolStateAt {
  readAt: number
}

/** Whole states of pools, all ticks included, as read from the chain. */
export interface PoolSnapshots {
  /** Epoch of the writer's lease. */
  epoch: number
  /** The block of the states: the committed head. */
  headHash: Hex
  states: readonly SnapshotAt[]
  ticks: readonly TickLiquidityAt[]
}

/**
 * Commits snapshots of pools at the committed head. Ticks of these pools that the snapshot lacks are no longer
 * initialised. An invalidated pool is valid again if its snapshot was read at a later block than the finding. Its older
 * versions are then deleted, so that no rollback can restore them. Any other snapshot of an invalidated pool is left
 * out.
 *
 * @returns the pools that were left out
 * @throws LeaseLost, HeadMoved
 */
export async function commitPoolStates(
  database: Pick<Database, 'pool' | 'prisma'>,
  network: NetworkKey,
  { epoch, headHash, states, ticks }: PoolSnapshots,
): Promise<PoolAddress[]> {
  const { chainId } = network
  return inTransaction(database, async (tx) => {
    const { head, revision } = await fence(tx, network, epoch)
    if (head?.hash !== headHash) throw new HeadMoved(network.name, headHash, head?.hash ?? null)
    const invalidated = new Map(
      (await readInvalidated(tx, chainId)).map(({ pool, blockNumber }) => [pool, blockNumber]),
    )
    const isTooOld = ({ pool, readAt }: SnapshotAt) => readAt <= (invalidated.get(pool) ?? Number.NEGATIVE_INFINITY)
    const leftOut = new Set(states.filter(isTooOld).map(({ pool }) => pool))
    const taken = states.filter(({ pool }) => !leftOut.has(pool))
    if (taken.length === 0) return [...leftOut]
    const takenTicks = ticks.filter(({ pool }) => !leftOut.has(pool))
    await replaceTicks(tx, chainId, revision + 1, taken, takenTicks)
    await trustAgain(
      tx,
      chainId,
      taken.filter(({ pool }) => invalidated.has(pool)),
    )
    await moveRevision(tx, network, revision + 1, writtenPoolStates(chainId, revision + 1, taken))
    return [...leftOut]
  })
}

async function trustAgain(tx: Db, chainId: number, states: readonly SnapshotAt[]): Promise<void> {
  if (states.length === 0) return
  await deleteOlderStates(tx, chainId, states)
  await deleteOlderTicks(tx, chainId, states)
  const before = ({ pool, readAt }: SnapshotAt) => ({ pool, blockNumber: readAt - 1 })
  await deleteInvalidated(tx, chainId, states.map(before))
}
