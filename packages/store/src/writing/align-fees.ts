import { type Dex, ownFees } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { notify } from '../database/notifications.ts'
import { inTransaction } from '../database/transaction.ts'
import { fence, type NetworkKey } from '../tables/network.ts'
import { addUnreadPools, hasOtherFees, updateFees } from '../tables/pool.ts'
import { deleteMisreadStates, hasMisreadStates } from '../tables/pool-state.ts'
import { deleteTicksOf } from '../tables/pool-tick.ts'
import { countWhole } from './roll-back.ts'

/**
 * Makes the fees of forks those that are configured, before the network's writer begins. A pool is quoted by the fee
 * that its state tells, else by its own: states that were read as another configuration had it are forgotten, to be
 * read anew. So are those of pools of a DEX that is not configured any more: no event moves them. Readers take it like a
 * rollback; where nothing is otherwise than configured nothing is written.
 *
 * Not before the lease: the states of one who writes still would not stay forgotten.
 *
 * @throws LeaseLost
 */
export async function alignFees(
  database: Pick<Database, 'prisma'>,
  network: NetworkKey,
  epoch: number,
  dexes: readonly Dex[],
): Promise<void> {
  const { chainId, name } = network
  const fees = ownFees(dexes)
  const rules = { fees, factories: dexes.map(({ factory }) => factory) }
  const { prisma } = database
  // As a rule nothing is otherwise: then nothing is locked or committed.
  if (!(await hasOtherFees(prisma, chainId, fees)) && !(await hasMisreadStates(prisma, chainId, rules))) return
  await inTransaction(database, async (tx) => {
    await fence(tx, network, epoch)
    await updateFees(tx, chainId, fees)
    const forgotten = await deleteMisreadStates(tx, chainId, rules)
    await deleteTicksOf(
      tx,
      chainId,
      forgotten.map(({ pool }) => pool),
    )
    const unread = forgotten.flatMap(({ pool, isQuoted }) => (isQuoted ? [pool] : []))
    await addUnreadPools(tx, chainId, unread)
    await countWhole(tx, chainId)
    await notify(tx, name)
  })
}
