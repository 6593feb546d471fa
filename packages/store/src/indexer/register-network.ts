import type { BlockPoint, Deployment, Hex, ListedToken } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'
import type { NetworkKey } from '../commit/network-key.ts'
import { byteaText, digitsOf, hexOf } from '../hex.ts'
import { GenesisMismatch } from '../store-error.ts'
import { inTransaction } from '../transaction.ts'

export interface NetworkRegistration {
  genesisHash: Hex
  deployment: Deployment
  /** First block to cover. */
  start: BlockPoint
}

/**
 * Makes the network's row, or takes it up: an earlier start moves it back, a later one leaves it. The anchors,
 * the curated tokens and their symbols become those of the deployment.
 *
 * @throws GenesisMismatch
 */
export async function registerNetwork(
  pool: Pool,
  network: NetworkKey,
  { genesisHash, deployment, start }: NetworkRegistration,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const stored = await upsertNetwork(tx, network, genesisHash, deployment, start)
    if (stored !== genesisHash) throw new GenesisMismatch(network.name, stored, genesisHash)
    await upsertListedTokens(tx, network.chainId, deployment.tokens)
    await replaceListedSymbols(tx, network.chainId, deployment.tokens)
  })
}

async function upsertNetwork(
  tx: ClientBase,
  network: NetworkKey,
  genesisHash: Hex,
  { wrappedNative, stablecoins, anchors }: Deployment,
  start: BlockPoint,
): Promise<Hex> {
  const { rows } = await tx.query<{ genesis: string }>(
    `INSERT INTO network AS stored (chain_id, name, genesis_hash, wrapped_native, start_block, start_time, anchors)
     VALUES ($1, $2, decode($3, 'hex'), decode($4, 'hex'), $5, to_timestamp($6), $7::text[]::bytea[])
     ON CONFLICT (chain_id) DO UPDATE SET active = true, wrapped_native = excluded.wrapped_native, anchors = excluded.anchors,
       start_time = CASE WHEN excluded.start_block < stored.start_block
         THEN excluded.start_time ELSE stored.start_time END,
       start_block = least(stored.start_block, excluded.start_block)
     RETURNING encode(genesis_hash, 'hex') AS genesis`,
    [
      ...[network.chainId, network.name, digitsOf(genesisHash), digitsOf(wrappedNative), start.number, start.timestamp],
      [...stablecoins, ...anchors].map(byteaText),
    ],
  )
  return hexOf(rows[0]?.genesis ?? '')
}

/** What the list says of a token stands above what its contract says. */
async function upsertListedTokens(tx: ClientBase, chainId: number, tokens: readonly ListedToken[]): Promise<void> {
  await tx.query(
    `INSERT INTO token (chain_id, address, symbol, name, decimals)
     SELECT DISTINCT ON (address) $1, decode(address, 'hex'), symbol, name, decimals
     FROM unnest($2::text[], $3::text[], $4::text[], $5::smallint[]) AS listed (address, symbol, name, decimals)
     ORDER BY address
     ON CONFLICT (chain_id, address)
       DO UPDATE SET symbol = excluded.symbol, name = excluded.name, decimals = excluded.decimals`,
    [
      chainId,
      tokens.map(({ address }) => digitsOf(address)),
      tokens.map(({ symbol }) => symbol),
      tokens.map(({ name }) => name),
      tokens.map(({ decimals }) => decimals),
    ],
  )
}

async function replaceListedSymbols(tx: ClientBase, chainId: number, tokens: readonly ListedToken[]): Promise<void> {
  const listed = tokens.flatMap(({ address, symbol, aliases = [] }) =>
    [symbol, ...aliases].map((name) => ({ address, symbol: name.toUpperCase() })),
  )
  await tx.query('DELETE FROM listed_symbol WHERE chain_id = $1', [chainId])
  await tx.query(
    `INSERT INTO listed_symbol (chain_id, symbol, address)
     SELECT $1, symbol, decode(address, 'hex') FROM unnest($2::text[], $3::text[]) AS listed (symbol, address)
     ON CONFLICT DO NOTHING`,
    [chainId, listed.map(({ symbol }) => symbol), listed.map(({ address }) => digitsOf(address))],
  )
}
