import { type Dex, ownFees } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { notify } from '../database/notifications.ts'
import { inTransaction } from '../database/transaction.ts'
import { fence, type NetworkKey } from '../tables/network.ts'
import { hasOtherFees, updateFees } from '../tables/pool.ts'
import { deleteMisreadStates, hasMisreadStates } from '../tables/pool-state.ts'
import { deleteTicksOf } from '../tables/pool-tick.ts'
import { addUnreadPools } from '../tables/unread-pool.ts'
import { noteWholeRollback } from './roll-back.ts'

/**
 * Deletes states that were read under a different configured fee, so that they are read again, and states of pools
 * whose DEX is no longer configured. Readers treat this like a rollback. Throws LeaseLost.
 *
 * Call it only while holding the lease: another writer would write the deleted states again.
 */
export async function alignFees(
  database: Database,
  network: NetworkKey,
  epoch: number,
  dexes: readonly Dex[],
): Promise<void> {
  const { chainId, name } = network
  const fees = ownFees(dexes)
  const rules = { fees, factories: dexes.map(({ factory }) => factory) }
  const { prisma } = database
  // Usually nothing differs, so nothing has to be locked or committed.
  if (!(await hasOtherFees(prisma, chainId, fees)) && !(await hasMisreadStates(prisma, chainId, rules))) return
  await inTransaction(database, async (tx) => {
    await fence(tx, network, epoch)
    await updateFees(tx, chainId, fees)
    const forgotten = await deleteMisreadStates(tx, chainId, rules)
    const pools = forgotten.map(({ pool }) => pool)
    await deleteTicksOf(tx, chainId, pools)
    const unread = forgotten.flatMap(({ pool, isQuoted }) => (isQuoted ? [pool] : []))
    await addUnreadPools(tx, chainId, unread, null)
    await noteWholeRollback(tx, chainId)
    await notify(tx, name)
  })
}
