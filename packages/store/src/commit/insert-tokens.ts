import type { Token } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { digitsOf } from '../hex.ts'

/** Writes the tokens that are not known yet, in address order; what is known of a token stays as it is. */
export async function insertTokens(tx: ClientBase, chainId: number, tokens: readonly Token[]): Promise<void> {
  if (tokens.length === 0) return
  await tx.query(
    `INSERT INTO token (chain_id, address, symbol, name, decimals)
     SELECT $1, decode(address, 'hex'), symbol, name, decimals
     FROM unnest($2::text[], $3::text[], $4::text[], $5::smallint[]) AS new (address, symbol, name, decimals)
     ORDER BY address
     ON CONFLICT DO NOTHING`,
    [
      chainId,
      tokens.map(({ address }) => digitsOf(address)),
      tokens.map(({ symbol }) => symbol),
      tokens.map(({ name }) => name),
      tokens.map(({ decimals }) => decimals),
    ],
  )
}
