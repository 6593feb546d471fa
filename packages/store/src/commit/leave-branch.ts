import type { Address, BlockHeader } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'
import { digitsOf } from '../hex.ts'
import { deleteTokenMovesAbove } from '../tables/token-move.ts'
import { inTransaction } from '../transaction.ts'
import { uncoverAbove } from './covered-ranges.ts'
import { NO_COUNTS } from './day-counts.ts'
import { deleteSwapsAbove } from './delete-swaps-above.ts'
import { fence } from './fence.ts'
import { moveCounters } from './move-counters.ts'
import type { NetworkKey } from './network-key.ts'
import { notify } from './notify.ts'
import { lockRows } from './transaction-locks.ts'

/**
 * Takes back everything of a network above a block, although it was taken as final, and forgets the headers, the pool
 * states and the head of the branch that lost, so that the follower starts over as on a fresh database. The rows up to
 * the block stay, and must be right. The final block goes back to it: the only way it ever does. Readers take it like
 * a rollback.
 *
 * @param block as the chain has it now
 * @param gonePools those that the chain no longer has; they are forgotten, with tokens of theirs alone
 * @throws LeaseLost
 */
export async function leaveBranch(
  pool: Pool,
  network: NetworkKey,
  epoch: number,
  { number, timestamp }: Pick<BlockHeader, 'number' | 'timestamp'>,
  gonePools: readonly Address[],
): Promise<void> {
  const { chainId } = network
  await inTransaction(pool, async (tx) => {
    await fence(tx, network, epoch)
    await lockRows(tx, chainId, 'taking back')
    for (const table of ['pool_state', 'pool_tick', 'block']) {
      await tx.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId])
    }
    await forgetPools(tx, chainId, gonePools)
    await deleteTokenMovesAbove(tx, chainId, number)
    const gone = await deleteSwapsAbove(tx, chainId, number)
    await moveCounters(tx, chainId, 'taking back', gone, NO_COUNTS)
    await uncoverAbove(tx, chainId, number)
    await tx.query('UPDATE covered_range SET to_time = to_timestamp($3) WHERE chain_id = $1 AND to_block = $2', [
      chainId,
      number,
      timestamp,
    ])
    await tx.query('UPDATE audit SET number = least(number, $2) WHERE chain_id = $1', [chainId, number])
    await tx.query(
      `UPDATE network SET revision = revision + 1, reorgs = reorgs + 1, final_number = $2, degraded = NULL,
         head_number = NULL, head_hash = NULL, head_time = NULL, chain_head_number = NULL, chain_head_time = NULL
       WHERE chain_id = $1`,
      [chainId, number],
    )
    await notify(tx, network.name)
  })
}

async function forgetPools(tx: ClientBase, chainId: number, pools: readonly Address[]): Promise<void> {
  await tx.query(
    `WITH gone AS (
       DELETE FROM pool WHERE chain_id = $1
         AND address = ANY (ARRAY(SELECT decode(digits, 'hex') FROM unnest($2::text[]) AS digits))
       RETURNING address, token0, token1
     )
     DELETE FROM token WHERE chain_id = $1
       AND address IN (SELECT token0 FROM gone UNION SELECT token1 FROM gone)
       AND NOT EXISTS (SELECT FROM listed_symbol AS listed
         WHERE listed.chain_id = $1 AND listed.address = token.address)
       AND NOT EXISTS (SELECT FROM pool AS other WHERE other.chain_id = $1 AND token.address = ANY (other.coins || other.underlying || other.token0 || other.token1)
         AND other.address NOT IN (SELECT address FROM gone))`,
    [chainId, pools.map(digitsOf)],
  )
}
