import type { BlockPoint, PoolAddress } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { lockCoverage, lockRows } from '../database/locks.ts'
import { notify } from '../database/notifications.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { ReorgTooDeep } from '../store-error.ts'
import { retractAlerts } from '../tables/alert.ts'
import { lowerAudited } from '../tables/audit.ts'
import { deleteBlocks, readBlock } from '../tables/block.ts'
import { setEndTime, uncoverAbove } from '../tables/covered-range.ts'
import type { DayCounts } from '../tables/day-counts.ts'
import { distrustAbove, forgetInvalidated } from '../tables/invalidated-pool.ts'
import { deleteAwaitedKeys } from '../tables/keys/awaited-key.ts'
import { lowerKeySearches } from '../tables/keys/key-search.ts'
import { deleteDenialsIn } from '../tables/keys/unconfirmed-denial.ts'
import { markLakeBlocks } from '../tables/lake-day.ts'
import { deleteHoursAbove, endHours } from '../tables/liquidity-hour.ts'
import { countRollback, fence, forgetHead, type NetworkKey, touchNetwork } from '../tables/network.ts'
import { writeWholeRollback } from '../tables/network-rollback.ts'
import { deletePools } from '../tables/pool.ts'
import { deleteCreations } from '../tables/pool-creation.ts'
import { deletePoolStates } from '../tables/pool-state.ts'
import { deleteTicks } from '../tables/pool-tick.ts'
import { deleteUnusedTokens } from '../tables/token.ts'
import { deleteTrades, moveCounters } from './day-counters.ts'

/**
 * Deletes what lies above `ancestor`. Returns what to subtract from the counters. Throws ReorgTooDeep if `ancestor` is
 * below the final block.
 */
export async function rollBack(
  tx: Db,
  network: NetworkKey,
  ancestor: number,
  finalNumber: number | null,
): Promise<DayCounts> {
  const { chainId } = network
  if (finalNumber !== null && ancestor < finalNumber) throw new ReorgTooDeep(network.name, ancestor, finalNumber)
  await deletePoolStates(tx, chainId, ancestor)
  await deleteTicks(tx, chainId, ancestor)
  await distrustAbove(tx, chainId, ancestor)
  // The header of `ancestor` is stored only while that block is reorgable.
  const header = await readBlock(tx, chainId, ancestor)
  await uncoverAbove(tx, chainId, ancestor, header?.timestamp ?? null)
  await deleteBlocks(tx, chainId, ancestor)
  await deleteCreations(tx, chainId, { from: ancestor + 1 })
  await deleteAwaitedKeys(tx, chainId, above(ancestor))
  await deleteDenialsIn(tx, chainId, above(ancestor))
  await retractAlerts(tx, chainId, ancestor)
  return deleteTrades(tx, chainId, above(ancestor))
}

/**
 * The follower then starts as on a fresh database. Nothing else lowers the final block. Throws LeaseLost.
 *
 * @param block as the chain has it now
 * @param gonePools pools that the chain no longer has; they are deleted, with the tokens that only they use
 */
export async function rollBackBelowFinal(
  database: Database,
  network: NetworkKey,
  { epoch, block, gonePools }: { epoch: number; block: BlockPoint; gonePools: readonly PoolAddress[] },
): Promise<void> {
  const { chainId } = network
  const { number, timestamp } = block
  await inTransaction(database, async (tx) => {
    await fence(tx, network, epoch)
    await lockRows(tx, chainId, 'exclusive')
    await deleteHoursAbove(tx, chainId, number)
    await forgetStates(tx, chainId)
    // Before the pools are deleted, because they show which protocol loses the trades.
    const gone = await deleteTrades(tx, chainId, above(number))
    await deleteUnusedTokens(tx, chainId, await deletePools(tx, chainId, gonePools))
    await deleteCreations(tx, chainId, { from: number + 1 })
    await moveCounters(tx, network, 'exclusive', { gone })
    await lockCoverage(tx, chainId)
    await uncoverAbove(tx, chainId, number, timestamp)
    await setEndTime(tx, chainId, number, timestamp)
    await lowerAudited(tx, chainId, number)
    await lowerKeySearches(tx, chainId, number)
    await deleteAwaitedKeys(tx, chainId, above(number))
    await deleteDenialsIn(tx, chainId, above(number))
    await retractAlerts(tx, chainId, number)
    await forgetHead(tx, chainId, number)
    await touchNetwork(tx, chainId)
    await noteWholeRollback(tx, chainId)
    await markLakeBlocks(tx, chainId, above(number))
    await notify(tx, network.name)
  })
}

/**
 * For a follower that starts again at the chain's head. Also deletes rows that are not final, because without headers
 * it is unknown which of them are orphaned. Throws LeaseLost.
 */
export async function dropPoolStates(database: Database, network: NetworkKey, epoch: number): Promise<void> {
  await inTransaction(database, async (tx) => {
    const { finalNumber } = await fence(tx, network, epoch, 'exclusive')
    const gone = await rollBack(tx, network, finalNumber ?? -1, finalNumber)
    await moveCounters(tx, network, 'exclusive', { gone })
    await forgetStates(tx, network.chainId)
    await touchNetwork(tx, network.chainId)
    await noteWholeRollback(tx, network.chainId)
    await notify(tx, network.name)
  })
}

async function forgetStates(tx: Db, chainId: number): Promise<void> {
  await deletePoolStates(tx, chainId)
  await deleteTicks(tx, chainId)
  await forgetInvalidated(tx, chainId)
  await deleteBlocks(tx, chainId)
  await endHours(tx, chainId)
}

export async function noteWholeRollback(tx: Db, chainId: number): Promise<void> {
  await countRollback(tx, chainId)
  await writeWholeRollback(tx, chainId)
}

function above(block: number) {
  return { from: block + 1, to: Number.MAX_SAFE_INTEGER }
}
