import type { Pool } from 'pg'
import type { NetworkKey } from '../commit/network-key.ts'
import { LeaseLost } from '../store-error.ts'

/**
 * Notes that a network's blocks up to this one are final; it never goes back.
 *
 * @throws LeaseLost
 */
export async function noteFinal(pool: Pool, network: NetworkKey, epoch: number, finalNumber: number): Promise<void> {
  const { rowCount } = await pool.query(
    'UPDATE network SET final_number = greatest(final_number, $3) WHERE chain_id = $1 AND writer_epoch = $2',
    [network.chainId, epoch, finalNumber],
  )
  if (rowCount === 0) throw new LeaseLost(network.name, epoch)
}
