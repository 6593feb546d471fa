import { type Address, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { PoolClient } from 'pg'
import { byteaText } from '../hex.ts'

interface Row {
  address: string
  symbol: string
  name: string
  decimals: number | null
}

/** Those of the tokens that are known (token_pkey). */
export async function readTokens(
  client: PoolClient,
  network: NetworkName,
  addresses: readonly Address[],
): Promise<Token[]> {
  const { rows } = await client.query<Row>(
    `SELECT encode(address, 'hex') AS address, symbol, name, decimals FROM token
     WHERE chain_id = $1 AND address = ANY ($2::text[]::bytea[])`,
    [NETWORKS[network].chainId, addresses.map(byteaText)],
  )
  return rows.map((row) => ({ ...row, address: `0x${row.address}` }))
}

/** The tokens of the curated list (listed_symbol_pkey). */
export async function readListedTokens(client: PoolClient, network: NetworkName): Promise<Address[]> {
  const { rows } = await client.query<{ address: string }>(
    `SELECT DISTINCT encode(address, 'hex') AS address FROM listed_symbol WHERE chain_id = $1`,
    [NETWORKS[network].chainId],
  )
  return rows.map((row): Address => `0x${row.address}`)
}

/** The tokens that an upper-case symbol stands for: none, one, or several when it is ambiguous (listed_symbol_pkey). */
export async function readSymbol(client: PoolClient, network: NetworkName, symbol: string): Promise<Address[]> {
  const { rows } = await client.query<{ address: string }>(
    `SELECT encode(address, 'hex') AS address FROM listed_symbol WHERE chain_id = $1 AND symbol = $2 ORDER BY address`,
    [NETWORKS[network].chainId, symbol],
  )
  return rows.map((row): Address => `0x${row.address}`)
}
