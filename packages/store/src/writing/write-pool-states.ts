import type { Hex, PoolAddress, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { notify } from '../database/notifications.ts'
import { inTransaction } from '../database/transaction.ts'
import { HeadMoved } from '../store-error.ts'
import {
  type InvalidatedPool,
  pruneInvalidated,
  readInvalidated,
  trustPools,
  writeInvalidated,
} from '../tables/invalidated-pool.ts'
import { fence, moveRevision, type NetworkKey, readNetwork } from '../tables/network.ts'
import { deleteOlderStates, prunePoolStates, writtenPoolStates } from '../tables/pool-state.ts'
import { endOlderTicks, pruneTicks, replaceTicks } from '../tables/pool-tick.ts'
import { pruneCells } from '../tables/swap/list-cell.ts'

/** A state read from the chain at block `readAt`, and brought forward by events to the committed head. */
export interface SnapshotAt extends PoolStateAt {
  readAt: number
}

export interface PoolSnapshots {
  epoch: number
  headHash: Hex
  states: readonly SnapshotAt[]
  ticks: readonly TickLiquidityAt[]
}

/**
 * An invalidated pool becomes valid if its snapshot was read after the block where it was found wrong; its older states
 * are then deleted and its older ticks ended, so that no rollback can restore them. Leaves out other snapshots of
 * invalidated pools, and returns those pools. Throws LeaseLost or HeadMoved.
 */
export async function commitPoolStates(
  database: Database,
  network: NetworkKey,
  { epoch, headHash, states, ticks }: PoolSnapshots,
): Promise<PoolAddress[]> {
  const { chainId } = network
  return inTransaction(database, async (tx) => {
    const { head, revision } = await fence(tx, network, epoch)
    if (head?.hash !== headHash) throw new HeadMoved(network.name, headHash, head?.hash ?? null)
    const findings = await readInvalidated(tx, chainId)
    const invalidated = new Map(findings.map(({ pool, blockNumber }) => [pool, blockNumber]))
    const isTooOld = ({ pool, readAt }: SnapshotAt) => readAt <= (invalidated.get(pool) ?? Number.NEGATIVE_INFINITY)
    const leftOut = new Set(states.filter(isTooOld).map(({ pool }) => pool))
    const taken = states.filter(({ pool }) => !leftOut.has(pool))
    if (taken.length === 0) return [...leftOut]
    const takenTicks = ticks.filter(({ pool }) => !leftOut.has(pool))
    await replaceTicks(tx, chainId, revision + 1, { states: taken, ticks: takenTicks })
    const again = taken.filter(({ pool }) => invalidated.has(pool))
    if (again.length > 0) {
      await deleteOlderStates(tx, chainId, again)
      await endOlderTicks(tx, chainId, revision + 1, again)
      await trustPools(tx, chainId, again)
    }
    await moveRevision(tx, network, revision + 1, writtenPoolStates(chainId, revision + 1, taken))
    return [...leftOut]
  })
}

/** Readers stop quoting these pools until a snapshot of a later block is committed. */
export async function invalidatePools(
  database: Database,
  { chainId, name }: NetworkKey,
  pools: readonly InvalidatedPool[],
): Promise<void> {
  await inTransaction(database, async (tx) => {
    await writeInvalidated(tx, chainId, pools)
    await notify(tx, name)
  })
}

/**
 * Deletes what no rollback can need: versions older than the newest final one, versions of cells that no list shows,
 * and findings about pools that are valid again. Returns the final block.
 *
 * @param after the final block of the previous call
 * @param last a final block; later ones do not count as final
 */
export async function pruneStates(
  { prisma }: Database,
  chainId: number,
  after: number,
  last = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const stored = (await readNetwork(prisma, chainId))?.finalNumber ?? null
  const final = stored === null ? after : Math.min(stored, last)
  if (final <= after) return after
  await prunePoolStates(prisma, chainId, { after, final })
  await pruneTicks(prisma, chainId, { after, final })
  await pruneInvalidated(prisma, chainId, final)
  await pruneCells(prisma, chainId)
  return final
}
