import type { Database } from '../database/database.ts'
import { notify } from '../database/notifications.ts'
import { inTransaction } from '../database/transaction.ts'
import type { NetworkKey } from '../tables/network.ts'
import { type InvalidatedPool, writeInvalidated } from '../tables/pool-state.ts'

/**
 * Marks the states of pools as wrong as of a block. Readers no longer quote these pools; only a snapshot of a later
 * block makes them valid again.
 */
export async function invalidatePools(
  database: Pick<Database, 'pool' | 'prisma'>,
  { chainId, name }: NetworkKey,
  pools: readonly InvalidatedPool[],
): Promise<void> {
  await inTransaction(database, async (tx) => {
    await writeInvalidated(tx, chainId, pools)
    await notify(tx, name)
  })
}
