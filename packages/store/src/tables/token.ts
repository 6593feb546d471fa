import type { Address, ListedToken, Token } from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import { type Token as Model, Prisma } from '../generated/client.ts'
import {
  type AddressBound,
  afterAddress,
  byteaList,
  byteaText,
  bytesOf,
  bytesToHex,
  hexOf,
  isBeyond,
  json,
  readRows,
  type Stored,
} from '../stored.ts'
import { COPIED_CHAIN, type CopiedRows } from './copied-rows.ts'

export type StoredToken = Pick<Stored<Model>, 'address' | 'symbol' | 'name' | 'decimals'>
const COLUMNS = Prisma.sql`address, symbol, name, decimals`

export function toToken({ address, symbol, name, decimals }: StoredToken): Token {
  return { address: hexOf(address), symbol, name, decimals }
}

function toRow(chainId: number, { address, symbol, name, decimals }: Token): Stored<Model> {
  return { chain_id: chainId, address: byteaText(address), symbol, name, decimals, supply: null, supply_time: null }
}

export async function readTokens(db: Reads, chainId: number, addresses?: readonly Address[]): Promise<Token[]> {
  const query = addresses
    ? tokensAmong(chainId, addresses)
    : Prisma.sql`SELECT ${COLUMNS} FROM token WHERE chain_id = ${chainId}`
  return (await readRows<StoredToken>(db, query)).map(toToken)
}

export function tokensAmong(chainId: number, addresses: readonly Address[]): Prisma.Sql {
  return Prisma.sql`SELECT ${COLUMNS} FROM token WHERE chain_id = ${chainId} AND address IN (${byteaList(addresses)})`
}

/** OFFSET 0 makes the planner look up each token. */
export const TOKENS_OF_PAGE = Prisma.sql`
  SELECT token.* FROM (
    SELECT chain_id, sell_token AS address FROM page UNION SELECT chain_id, buy_token FROM page
  ) AS traded CROSS JOIN LATERAL (
    SELECT * FROM token WHERE token.chain_id = traded.chain_id AND token.address = traded.address OFFSET 0) AS token`

export async function readTokenPage(db: Db, chainId: number, after: Address | null, limit: number): Promise<Token[]> {
  const query = Prisma.sql`SELECT ${COLUMNS} FROM token WHERE chain_id = ${chainId}
    AND address > ${afterAddress(after)} ORDER BY address LIMIT ${limit}`
  return (await readRows<StoredToken>(db, query)).map(toToken)
}

export async function countTokens(db: Db): Promise<Map<number, number>> {
  const query = Prisma.sql`SELECT chain_id, count(*)::float8 AS tokens FROM token GROUP BY 1`
  const rows = await readRows<{ chain_id: number; tokens: number }>(db, query)
  return new Map(rows.map(({ chain_id, tokens }) => [chain_id, tokens]))
}

export function knownTokens(requested: readonly { chainId: number; address: Address }[]): Prisma.Sql {
  return Prisma.sql`
    SELECT chain_id FROM token JOIN unnest(${requested.map(({ chainId }) => chainId)}::int[],
      ${requested.map(({ address }) => byteaText(address))}::text[]::bytea[]) AS requested(chain_id, address)
      USING (chain_id, address)`
}

export interface TokenFilter {
  address?: Address
  among?: readonly Address[]
  beginning?: string
  listed?: boolean
}

export interface FoundToken extends Token {
  listed: boolean
  /** In base units; null if unknown. */
  supply: bigint | null
}

/**
 * Finds tokens in address order, with token_symbol_idx and token_name_idx (for a beginning) and
 * listed_symbol_address_idx.
 */
export function tokensFound(
  chainId: number,
  { address, among, beginning, listed }: TokenFilter,
  { bound, ascending, limit }: { bound: AddressBound | null; ascending: boolean; limit: number },
): Prisma.Sql {
  const conditions = [Prisma.sql`chain_id = ${chainId}`, isBeyond('address', bound)]
  if (address !== undefined) conditions.push(Prisma.sql`address = ${byteaText(address)}::bytea`)
  if (among !== undefined) conditions.push(Prisma.sql`address IN (${byteaList(among)})`)
  const isListed = Prisma.sql`EXISTS (SELECT FROM listed_symbol AS listed
    WHERE listed.chain_id = token.chain_id AND listed.address = token.address)`
  if (listed !== undefined) conditions.push(Prisma.sql`${isListed} = ${listed}`)
  const relation =
    beginning === undefined ? Prisma.sql`token` : Prisma.sql`(${tokensBeginning(chainId, beginning)}) AS token`
  return Prisma.sql`SELECT chain_id, address, symbol, name, decimals, supply::text, ${isListed} AS listed FROM ${relation} WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY address ${ascending ? Prisma.sql`ASC` : Prisma.sql`DESC`} LIMIT ${limit}`
}

/** Two queries, each with its index. Without OFFSET 0, Postgres may read all tokens in the order of their addresses. */
function tokensBeginning(chainId: number, beginning: string): Prisma.Sql {
  const texts = [Prisma.sql`lower(symbol) COLLATE "C"`, Prisma.sql`lower(name) COLLATE "C"`]
  const found = texts.map(
    (text) => Prisma.sql`(SELECT * FROM token WHERE chain_id = ${chainId} AND ${beginsWith(text, beginning)} OFFSET 0)`,
  )
  return Prisma.join(found, ' UNION ')
}

export function toFoundToken(row: StoredToken & { listed: boolean; supply: string | null }): FoundToken {
  return { ...toToken(row), listed: row.listed, supply: row.supply === null ? null : BigInt(row.supply) }
}

/** Compares with a range, because LIKE would interpret special characters. */
function beginsWith(text: Prisma.Sql, beginning: string): Prisma.Sql {
  return Prisma.sql`(${text} >= lower(${beginning}) AND ${text} < lower(${beginning}) || chr(1114111))`
}

export async function readSymbol(db: Db, chainId: number, symbol: string): Promise<Address[]> {
  const rows = await db.listedSymbol.findMany({ where: { chainId, symbol }, orderBy: { address: 'asc' } })
  return rows.map(({ address }) => bytesToHex(address))
}

export function listedTokens(chainId: number): Prisma.Sql {
  return Prisma.sql`SELECT DISTINCT address FROM listed_symbol WHERE chain_id = ${chainId}`
}

export async function insertTokens(tx: Db, chainId: number, tokens: readonly Token[]): Promise<void> {
  if (tokens.length === 0) return
  await tx.$executeRaw`
    INSERT INTO token SELECT * FROM json_populate_recordset(NULL::token, ${json(tokens.map((token) => toRow(chainId, token)))})
    ORDER BY address ON CONFLICT DO NOTHING`
}

function symbolsOf(tokens: readonly ListedToken[]): { address: Address; symbol: string }[] {
  return tokens.flatMap(({ address, symbol, aliases = [] }) =>
    [symbol, ...aliases].map((name) => ({ address, symbol: name.toUpperCase() })),
  )
}

export async function listsExactly(db: Db, chainId: number, tokens: readonly ListedToken[]): Promise<boolean> {
  const rows = await db.listedSymbol.findMany({ where: { chainId } })
  const addresses = tokens.map(({ address }) => address)
  const stored = await readTokens(db, chainId, addresses)
  const listed = rows.map(({ address, symbol }) => `${bytesToHex(address)} ${symbol}`)
  const given = symbolsOf(tokens).map(({ address, symbol }) => `${address} ${symbol}`)
  const textOf = ({ address, symbol, name, decimals }: Token) => JSON.stringify([address, symbol, name, decimals])
  const inOrder = (texts: readonly string[]) => [...new Set(texts)].sort().join()
  return inOrder(listed) === inOrder(given) && inOrder(stored.map(textOf)) === inOrder(tokens.map(textOf))
}

/**
 * The list takes precedence over what contracts report. Returns whether the symbol, name or decimals of any token
 * changed, and whether the decimals of a stored one did: the query sees tokens as they were before.
 */
export async function replaceListedTokens(
  tx: Db,
  chainId: number,
  tokens: readonly ListedToken[],
): Promise<{ isChanged: boolean; hasOtherDecimals: boolean }> {
  const [counted] = await tx.$queryRaw<{ isChanged: boolean; hasOtherDecimals: boolean }[]>`
    WITH changed AS (
      INSERT INTO token AS known SELECT DISTINCT ON (address) *
      FROM json_populate_recordset(NULL::token, ${json(tokens.map((listedToken) => toRow(chainId, listedToken)))}) ORDER BY address
      ON CONFLICT (chain_id, address)
        DO UPDATE SET symbol = excluded.symbol, name = excluded.name, decimals = excluded.decimals
        WHERE (known.symbol, known.name, known.decimals) IS DISTINCT FROM (excluded.symbol, excluded.name, excluded.decimals)
      RETURNING chain_id, address, decimals
    )
    SELECT count(*) > 0 AS "isChanged", EXISTS (
      SELECT FROM changed JOIN token AS known USING (chain_id, address)
      WHERE known.decimals IS DISTINCT FROM changed.decimals
    ) AS "hasOtherDecimals"
    FROM changed`
  const data = symbolsOf(tokens).map(({ address, symbol }) => ({ chainId, address: bytesOf(address), symbol }))
  await tx.listedSymbol.deleteMany({ where: { chainId } })
  await tx.listedSymbol.createMany({ data, skipDuplicates: true })
  return counted ?? { isChanged: false, hasOtherDecimals: false }
}

/** Returns tokens whose supply was never read, with token_unread_supply_idx. */
export async function readUnreadSupplies(db: Db, chainId: number, limit: number): Promise<Address[]> {
  const query = Prisma.sql`SELECT address FROM token WHERE chain_id = ${chainId} AND supply_time IS NULL
    ORDER BY address LIMIT ${limit}`
  return (await readRows<{ address: string }>(db, query)).map(({ address }) => hexOf(address))
}

/** Tokens that another transaction changes are skipped, so that neither waits for the other. */
export async function updateSupplies(
  db: Db,
  chainId: number,
  supplies: ReadonlyMap<Address, bigint | null>,
): Promise<void> {
  const addresses = [...supplies.keys()]
  const texts = [...supplies.values()].map((supply) => supply && String(supply))
  await db.$executeRaw`
    WITH reported AS (
      SELECT * FROM unnest(${addresses.map(byteaText)}::text[]::bytea[], ${texts}::text[]::numeric[])
        AS reported(address, supply)
    ), changed AS (
      SELECT address, reported.supply FROM token JOIN reported USING (address)
      WHERE chain_id = ${chainId} AND (supply_time IS NULL OR token.supply IS DISTINCT FROM reported.supply)
      FOR UPDATE OF token SKIP LOCKED
    )
    UPDATE token SET supply = changed.supply, supply_time = now() FROM changed
    WHERE token.chain_id = ${chainId} AND token.address = changed.address`
}

export async function deleteUnusedTokens(tx: Db, chainId: number, tokens: readonly Address[]): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM token WHERE chain_id = ${chainId} AND address IN (${byteaList(tokens)})
      AND NOT EXISTS (SELECT FROM listed_symbol AS listed
        WHERE listed.chain_id = token.chain_id AND listed.address = token.address)
      AND NOT EXISTS (SELECT FROM pool WHERE pool.chain_id = token.chain_id
        AND token.address = ANY (pool.coins || pool.underlying || pool.token0 || pool.token1))`
}

/** All of the network. */
export const COPIED_TOKENS: CopiedRows = {
  columns: { address: 'hex', symbol: 'text', name: 'text', decimals: 'integer' },
  rows: Prisma.sql`SELECT * FROM token WHERE chain_id = ${COPIED_CHAIN}`,
}
