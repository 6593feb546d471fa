import type { Address, ListedToken, Token } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type Token as Model, Prisma } from '../generated/client.ts'
import {
  type AddressBound,
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

// The tables token and listed_symbol, by their primary keys where nothing else is said.

function toToken({ address, symbol, name, decimals }: Stored<Model>): Token {
  return { address: hexOf(address), symbol, name, decimals }
}

function toRow(chainId: number, { address, symbol, name, decimals }: Token): Stored<Model> {
  return { chain_id: chainId, address: byteaText(address), symbol, name, decimals }
}

/** All tokens of a network that were ever seen or are listed, or those of the addresses that are known. */
export async function readTokens(db: Db, chainId: number, addresses?: readonly Address[]): Promise<Token[]> {
  const among = addresses && Prisma.sql`AND address IN (${byteaList(addresses)})`
  const query = Prisma.sql`SELECT * FROM token WHERE chain_id = ${chainId} ${among ?? Prisma.empty}`
  return (await readRows<Stored<Model>>(db, query)).map(toToken)
}

/** The first tokens behind an address (null: of all), by address. */
export async function readTokenPage(db: Db, chainId: number, after: Address | null, limit: number): Promise<Token[]> {
  const query = Prisma.sql`SELECT * FROM token WHERE chain_id = ${chainId}
    AND address > ${after === null ? '\\x' : byteaText(after)}::bytea ORDER BY address LIMIT ${limit}`
  return (await readRows<Stored<Model>>(db, query)).map(toToken)
}

/** Those of the tokens that are known. */
export function knownTokens(wanted: readonly { chainId: number; address: Address }[]): Prisma.Sql {
  return Prisma.sql`
    SELECT chain_id FROM token JOIN unnest(${wanted.map(({ chainId }) => chainId)}::int[],
      ${wanted.map(({ address }) => byteaText(address))}::text[]::bytea[]) AS wanted(chain_id, address)
      USING (chain_id, address)`
}

/** Which tokens of a network. */
export interface TokenFilter {
  address?: Address
  among?: readonly Address[]
  /** How the symbol or the name begins, in any case. */
  beginning?: string
  /** On the curated list, or not. */
  listed?: boolean
}

export interface FoundToken extends Token {
  listed: boolean
}

/**
 * The first tokens beyond a place by address (token_pkey; token_symbol_idx and token_name_idx for a beginning,
 * listed_symbol_address_idx).
 */
export async function findTokens(
  db: Db,
  chainId: number,
  { address, among, beginning, listed }: TokenFilter,
  { bound, ascending, limit }: { bound: AddressBound | null; ascending: boolean; limit: number },
): Promise<FoundToken[]> {
  const conditions = [Prisma.sql`chain_id = ${chainId}`, isBeyond('address', bound)]
  if (address !== undefined) conditions.push(Prisma.sql`address = ${byteaText(address)}::bytea`)
  if (among !== undefined) conditions.push(Prisma.sql`address IN (${byteaList(among)})`)
  if (beginning !== undefined) {
    const [symbol, name] = [Prisma.sql`lower(symbol) COLLATE "C"`, Prisma.sql`lower(name) COLLATE "C"`]
    conditions.push(Prisma.sql`(${beginsWith(symbol, beginning)} OR ${beginsWith(name, beginning)})`)
  }
  const isListed = Prisma.sql`EXISTS (SELECT FROM listed_symbol AS listed
    WHERE listed.chain_id = token.chain_id AND listed.address = token.address)`
  if (listed !== undefined) conditions.push(Prisma.sql`${isListed} = ${listed}`)
  const query = Prisma.sql`SELECT *, ${isListed} AS listed FROM token WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY address ${ascending ? Prisma.sql`ASC` : Prisma.sql`DESC`} LIMIT ${limit}`
  const rows = await readRows<Stored<Model> & { listed: boolean }>(db, query)
  return rows.map((row) => ({ ...toToken(row), listed: row.listed }))
}

/** Texts between the beginning and what is behind all that begin so; unlike LIKE it has no characters of its own. */
function beginsWith(text: Prisma.Sql, beginning: string): Prisma.Sql {
  return Prisma.sql`(${text} >= lower(${beginning}) AND ${text} < lower(${beginning}) || chr(1114111))`
}

/** The tokens that an upper-case symbol stands for: none, one, or several when it is ambiguous. */
export async function readSymbol(db: Db, chainId: number, symbol: string): Promise<Address[]> {
  const rows = await db.listedSymbol.findMany({ where: { chainId, symbol }, orderBy: { address: 'asc' } })
  return rows.map(({ address }) => bytesToHex(address))
}

/** The addresses of the curated list. */
export function listedTokens(chainId: number): Prisma.Sql {
  return Prisma.sql`SELECT DISTINCT address FROM listed_symbol WHERE chain_id = ${chainId}`
}

/** Writes the tokens that are not known yet, in address order; what is known of a token stays as it is. */
export async function insertTokens(tx: Db, chainId: number, tokens: readonly Token[]): Promise<void> {
  if (tokens.length === 0) return
  await tx.$executeRaw`
    INSERT INTO token SELECT * FROM json_populate_recordset(NULL::token, ${json(tokens.map((one) => toRow(chainId, one)))})
    ORDER BY address ON CONFLICT DO NOTHING`
}

/** What a list says of its tokens' symbols, each in upper case. */
function symbolsOf(tokens: readonly ListedToken[]): { address: Address; symbol: string }[] {
  return tokens.flatMap(({ address, symbol, aliases = [] }) =>
    [symbol, ...aliases].map((name) => ({ address, symbol: name.toUpperCase() })),
  )
}

/** Whether `replaceListedTokens` would change nothing. */
export async function listsJust(db: Db, chainId: number, tokens: readonly ListedToken[]): Promise<boolean> {
  const [rows, known] = [
    await db.listedSymbol.findMany({ where: { chainId } }),
    await readTokens(
      db,
      chainId,
      tokens.map(({ address }) => address),
    ),
  ]
  const listed = rows.map(({ address, symbol }) => `${bytesToHex(address)} ${symbol}`)
  const wanted = symbolsOf(tokens).map(({ address, symbol }) => `${address} ${symbol}`)
  const textOf = ({ address, symbol, name, decimals }: Token) => JSON.stringify([address, symbol, name, decimals])
  const inOrder = (texts: readonly string[]) => [...new Set(texts)].sort().join()
  return inOrder(listed) === inOrder(wanted) && inOrder(known.map(textOf)) === inOrder(tokens.map(textOf))
}

/**
 * Makes the curated tokens and their symbols those of a list. It stands above what contracts say.
 *
 * @returns whether any token is called otherwise than before
 */
export async function replaceListedTokens(tx: Db, chainId: number, tokens: readonly ListedToken[]): Promise<boolean> {
  const changed = await tx.$executeRaw`
    INSERT INTO token AS known SELECT DISTINCT ON (address) *
    FROM json_populate_recordset(NULL::token, ${json(tokens.map((one) => toRow(chainId, one)))}) ORDER BY address
    ON CONFLICT (chain_id, address)
      DO UPDATE SET symbol = excluded.symbol, name = excluded.name, decimals = excluded.decimals
      WHERE (known.symbol, known.name, known.decimals) IS DISTINCT FROM (excluded.symbol, excluded.name, excluded.decimals)`
  const data = symbolsOf(tokens).map(({ address, symbol }) => ({ chainId, address: bytesOf(address), symbol }))
  await tx.listedSymbol.deleteMany({ where: { chainId } })
  await tx.listedSymbol.createMany({ data, skipDuplicates: true })
  return changed > 0
}

/** Deletes those of the tokens that are neither listed nor any pool's. */
export async function deleteUnusedTokens(tx: Db, chainId: number, tokens: readonly Address[]): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM token WHERE chain_id = ${chainId} AND address IN (${byteaList(tokens)})
      AND NOT EXISTS (SELECT FROM listed_symbol AS listed
        WHERE listed.chain_id = token.chain_id AND listed.address = token.address)
      AND NOT EXISTS (SELECT FROM pool WHERE pool.chain_id = token.chain_id
        AND token.address = ANY (pool.coins || pool.underlying || pool.token0 || pool.token1))`
}
