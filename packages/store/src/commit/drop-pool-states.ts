import type { Pool } from 'pg'
import { inTransaction } from '../transaction.ts'
import { fence } from './fence.ts'
import type { NetworkKey } from './network-key.ts'
import { notify } from './notify.ts'

/**
 * Forgets the state of all pools of a network and the headers that it was followed by, for a follower that starts
 * over at the chain's head. Readers take it like a rollback.
 *
 * @throws LeaseLost
 */
export async function dropPoolStates(pool: Pool, network: NetworkKey, epoch: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await fence(tx, network, epoch)
    for (const table of ['pool_state', 'pool_tick', 'block']) {
      await tx.query(`DELETE FROM ${table} WHERE chain_id = $1`, [network.chainId])
    }
    await tx.query('UPDATE network SET revision = revision + 1, reorgs = reorgs + 1 WHERE chain_id = $1', [
      network.chainId,
    ])
    await notify(tx, network.name)
  })
}
