import { type Address, type FactoryFee, isIdAlone, type Pool, type PoolAddress, type QuotablePool } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type Pool as Model, Prisma } from '../generated/client.ts'
import {
  type AddressBound,
  afterAddress,
  byteaList,
  byteaText,
  hexOf,
  isBeyond,
  json,
  readRows,
  type Stored,
} from '../stored.ts'
import { COPIED_CHAIN, type CopiedRows } from './copied-rows.ts'
import { keyOf, poolKey } from './swap/pool-key.ts'

export interface PoolRow extends QuotablePool {
  dex: string
  factory: Address
}

export function toPool(row: Stored<Model>): PoolRow {
  return {
    address: hexOf(row.address),
    dex: row.dex,
    factory: hexOf(row.factory),
    token0: hexOf(row.token0),
    token1: hexOf(row.token1),
    fee: row.fee,
    tickSpacing: row.tick_spacing,
    ...(row.coins.length > 0 && { coins: row.coins.map(hexOf) }),
    ...(row.underlying.length > 0 && { underlying: row.underlying.map(hexOf) }),
    ...(row.hooks !== null && { hooks: hexOf(row.hooks) }),
  }
}

function toRow(chainId: number, pool: Pool): Stored<Model> {
  const { address, dex, token0, token1, fee, tickSpacing, coins = [], underlying = [], hooks } = pool
  return {
    chain_id: chainId,
    address: byteaText(address),
    dex: dex.name,
    factory: byteaText(dex.factory),
    token0: byteaText(token0),
    token1: byteaText(token1),
    fee,
    tick_spacing: tickSpacing,
    coins: coins.map(byteaText),
    underlying: underlying.map(byteaText),
    hooks: hooks === undefined ? null : byteaText(hooks),
  }
}

export async function readPools(db: Db, chainId: number, addresses?: readonly PoolAddress[]): Promise<PoolRow[]> {
  const among = addresses && Prisma.sql`AND address IN (${byteaList(addresses)})`
  const query = Prisma.sql`SELECT * FROM pool WHERE chain_id = ${chainId} ${among ?? Prisma.empty}`
  return (await readRows<Stored<Model>>(db, query)).map(toPool)
}

export function quotablePoolAt(chainId: number, address: Prisma.Sql): Prisma.Sql {
  // OFFSET 0 makes the planner look up each row by its key, however many rows it expects.
  return Prisma.sql`SELECT token0, token1, fee, tick_spacing, coins::text[], dex FROM pool
    WHERE chain_id = ${chainId} AND address = ${address} OFFSET 0`
}

export type QuotableColumns = Pick<Stored<Model>, 'token0' | 'token1' | 'fee' | 'tick_spacing' | 'coins' | 'dex'>

export function toQuotable(address: PoolAddress, row: QuotableColumns): QuotablePool {
  const { token0, token1, fee, tick_spacing: tickSpacing, coins } = row
  const pool = {
    address,
    token0: hexOf(token0),
    token1: hexOf(token1),
    fee,
    tickSpacing,
    protocol: sharedName(row.dex),
  }
  return coins.length === 0 ? pool : { ...pool, coins: coins.map(hexOf) }
}

export async function readQuotablePools(
  db: Db,
  chainId: number,
  addresses: readonly PoolAddress[],
): Promise<QuotablePool[]> {
  const pools = await readPools(db, chainId, addresses)
  return pools.map(({ dex, ...pool }) => ({ ...pool, protocol: sharedName(dex) }))
}

const names = new Map<string, string>()

/** Shares one string among equal names: a market has hundreds of thousands of pools on a few dozen DEXes. */
function sharedName(dex: string): string {
  const shared = names.get(dex)
  if (shared === undefined) names.set(dex, dex)
  return shared ?? dex
}

export interface PoolFilter {
  address?: PoolAddress
  among?: readonly PoolAddress[]
  tokens?: readonly Address[]
  /** With `tokens`: the pool must exchange one of `tokens` for one of `others`. */
  others?: readonly Address[]
  protocol?: string
}

/**
 * Finds pools in address order, with pool_pkey, pool_short_key_idx (for an id), pool_dex_idx, pool_token0_idx,
 * pool_token1_idx, pool_pair_idx and pool_coins_idx.
 */
export function poolsFound(
  chainId: number,
  { address, among, tokens, others, protocol }: PoolFilter,
  { bound, ascending, limit }: { bound: AddressBound | null; ascending: boolean; limit: number },
): Prisma.Sql {
  const conditions = [Prisma.sql`chain_id = ${chainId}`, isBeyond('address', bound)]
  if (address !== undefined) conditions.push(hasIdentifier(address))
  if (among !== undefined) conditions.push(Prisma.sql`address IN (${byteaList(among)})`)
  if (protocol !== undefined) conditions.push(Prisma.sql`dex = ${protocol}`)
  const inOrder = Prisma.sql`ORDER BY address ${ascending ? Prisma.sql`ASC` : Prisma.sql`DESC`} LIMIT ${limit}`
  const where = (more: Prisma.Sql) =>
    Prisma.sql`SELECT * FROM pool WHERE ${Prisma.join([...conditions, more], ' AND ')} ${inOrder}`
  const parts = tokens === undefined ? [Prisma.sql`true`] : exchanging(tokens, others)
  const union = Prisma.join(
    parts.map((part) => Prisma.sql`(${where(part)})`),
    ' UNION ',
  )
  return parts.length === 1 ? where(Prisma.sql`true`) : Prisma.sql`SELECT * FROM (${union}) AS found ${inOrder}`
}

function hasIdentifier(address: PoolAddress): Prisma.Sql {
  if (!isIdAlone(address)) return Prisma.sql`address = ${byteaText(address)}::bytea`
  return Prisma.sql`${keyOf('address')} = ${poolKey(address)}::bigint
    AND length(address) = 52 AND substring(address from 21) = ${byteaText(address)}::bytea`
}

function exchanging(tokens: readonly Address[], others: readonly Address[] | undefined): Prisma.Sql[] {
  const listOf = (addresses: readonly Address[]) => Prisma.sql`${addresses.map(byteaText)}::text[]::bytea[]`
  const isOne = (column: string, token: Address) => Prisma.sql`${Prisma.raw(column)} = ${byteaText(token)}::bytea`
  const ofTwo = tokens.flatMap((token) => {
    if (others === undefined) return [isOne('token0', token), isOne('token1', token)]
    return others.flatMap((other) => [
      Prisma.sql`${isOne('token0', token)} AND ${isOne('token1', other)}`,
      Prisma.sql`${isOne('token0', other)} AND ${isOne('token1', token)}`,
    ])
  })
  const ofMore = Prisma.sql`cardinality(coins) + cardinality(underlying) > 0
    AND (coins || underlying) && ${listOf(tokens)}${
      others === undefined ? Prisma.empty : Prisma.sql` AND (coins || underlying) && ${listOf(others)}`
    }`
  return [...ofTwo, ofMore]
}

export async function readPoolPage(
  db: Db,
  chainId: number,
  after: PoolAddress | null,
  limit: number,
): Promise<PoolRow[]> {
  const query = Prisma.sql`SELECT * FROM pool WHERE chain_id = ${chainId}
    AND address > ${afterAddress(after)} ORDER BY address LIMIT ${limit}`
  return (await readRows<Stored<Model>>(db, query)).map(toPool)
}

export async function countPools(db: Db): Promise<{ chainId: number; dex: string; pools: number }[]> {
  const query = Prisma.sql`SELECT chain_id AS "chainId", dex, count(*)::float8 AS pools FROM pool GROUP BY 1, 2 ORDER BY 1, 2`
  return readRows(db, query)
}

/** Inserts in address order, so that two commits never wait for each other. Returns the pools that were new. */
export async function insertPools(tx: Db, chainId: number, pools: readonly Pool[]): Promise<PoolAddress[]> {
  if (pools.length === 0) return []
  const rows = await tx.$queryRaw<{ address: string }[]>`
    INSERT INTO pool SELECT * FROM json_populate_recordset(NULL::pool, ${json(pools.map((pool) => toRow(chainId, pool)))})
    ORDER BY address ON CONFLICT DO NOTHING RETURNING address::text`
  return rows.map(({ address }) => hexOf(address))
}

function asRows(fees: readonly FactoryFee[]): Prisma.Sql {
  const rows = json(fees.map(({ factory, fee }) => ({ factory: byteaText(factory), fee })))
  return Prisma.sql`json_to_recordset(${rows}) AS configured (factory bytea, fee integer)`
}

export async function hasOtherFees(db: Db, chainId: number, fees: readonly FactoryFee[]): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM pool JOIN ${asRows(fees)} USING (factory)
    WHERE pool.chain_id = ${chainId} AND pool.fee <> configured.fee LIMIT 1`
  return rows.length > 0
}

export async function updateFees(tx: Db, chainId: number, fees: readonly FactoryFee[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE pool SET fee = configured.fee FROM ${asRows(fees)}
    WHERE pool.chain_id = ${chainId} AND pool.factory = configured.factory AND pool.fee <> configured.fee`
}

export async function deletePools(tx: Db, chainId: number, pools: readonly PoolAddress[]): Promise<Address[]> {
  const rows = await tx.$queryRaw<{ token0: string; token1: string }[]>`
    DELETE FROM pool WHERE chain_id = ${chainId} AND address IN (${byteaList(pools)})
    RETURNING token0::text, token1::text`
  return rows.flatMap(({ token0, token1 }) => [hexOf(token0), hexOf(token1)])
}

/** Pools with one of these keys. */
export function copiedPools(keys: Prisma.Sql): CopiedRows {
  return {
    columns: {
      address: 'hex',
      pool_key: 'bigint',
      dex: 'text',
      factory: 'hex',
      token0: 'hex',
      token1: 'hex',
      fee: 'integer',
      tick_spacing: 'integer',
      coins: 'hexes',
      underlying: 'hexes',
      hooks: 'hex',
    },
    rows: Prisma.sql`SELECT * FROM (SELECT *, ${keyOf('address')} AS pool_key FROM pool
      WHERE chain_id = ${COPIED_CHAIN}) AS keyed WHERE pool_key IN (${keys})`,
  }
}
