import type { BlockPoint } from '@dexfeed/dex'
import type { Pool } from 'pg'

/** Moves the first block that is meant to be covered back to this one; never forward. */
export async function lowerStart(pool: Pool, chainId: number, { number, timestamp }: BlockPoint): Promise<void> {
  await pool.query(
    'UPDATE network SET start_block = $2, start_time = to_timestamp($3) WHERE chain_id = $1 AND start_block > $2',
    [chainId, number, timestamp],
  )
}
