import type { ClientBase } from 'pg'
import { ReorgTooDeep } from '../store-error.ts'
import { deleteTokenMovesAbove } from '../tables/token-move.ts'
import { uncoverAbove } from './covered-ranges.ts'
import type { DayCounts } from './day-counts.ts'
import { deleteSwapsAbove } from './delete-swaps-above.ts'
import type { Fenced } from './fence.ts'
import type { NetworkKey } from './network-key.ts'

/**
 * Takes back everything of a network above a block, but for the counters of the days: gives what they have to lose.
 *
 * @throws ReorgTooDeep below the final block
 */
export async function takeBackAbove(
  tx: ClientBase,
  network: NetworkKey,
  ancestor: number,
  fenced: Fenced,
): Promise<DayCounts> {
  if (fenced.finalNumber !== null && ancestor < fenced.finalNumber) {
    throw new ReorgTooDeep(network.name, ancestor, fenced.finalNumber)
  }
  await deleteVersionsAbove(tx, 'pool_state', network.chainId, ancestor)
  await deleteVersionsAbove(tx, 'pool_tick', network.chainId, ancestor)
  await uncoverAbove(tx, network.chainId, ancestor)
  await tx.query('DELETE FROM block WHERE chain_id = $1 AND number > $2', [network.chainId, ancestor])
  await tx.query('DELETE FROM awaited_value WHERE chain_id = $1 AND block_number > $2', [network.chainId, ancestor])
  await deleteTokenMovesAbove(tx, network.chainId, ancestor)
  return deleteSwapsAbove(tx, network.chainId, ancestor)
}

/** By the index pool_state_block_idx or pool_tick_block_idx. */
async function deleteVersionsAbove(
  tx: ClientBase,
  table: 'pool_state' | 'pool_tick',
  chainId: number,
  block: number,
): Promise<void> {
  await tx.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number > $2`, [chainId, block])
}
