import type { Token } from '@dexfeed/dex'
import type { Pool } from 'pg'
import { hexOf } from '../hex.ts'

/** All tokens of a network that were ever seen or are listed. */
export async function loadTokens(pool: Pool, chainId: number): Promise<Token[]> {
  const { rows } = await pool.query<Token>(
    `SELECT encode(address, 'hex') AS address, symbol, name, decimals FROM token WHERE chain_id = $1`,
    [chainId],
  )
  return rows.map((row) => ({ ...row, address: hexOf(row.address) }))
}
