import type { Database } from '../database/database.ts'
import { notify } from '../database/notifications.ts'
import { inTransaction } from '../database/transaction.ts'
import type { NetworkKey } from '../tables/network.ts'
import { type InvalidatedPool, writeInvalidated } from '../tables/pool-state.ts'

/**
 * Notes that the states of pools are wrong as of a block, whoever found it: readers quote them no longer, and only a
 * snapshot of a later block counts again.
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
