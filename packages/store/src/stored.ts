import type { BlockRange, Hex } from '@dexfeed/dex'
import type { Reads } from './database/transaction.ts'
import { Prisma } from './generated/client.ts'

/**
 * A row as JSON, for `json_populate_recordset` or from `json_agg`. Many rows are then one value for Prisma, which
 * converts values one by one (docs/internals/database.md).
 */
export type Stored<Model> = { [Field in keyof Model & string as ColumnOf<Field>]: StoredValue<Model[Field]> }

type ColumnOf<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnOf<Rest>}`
  : ''

/** Numerics are text, because JSON numbers are not exact; a bigint may be a number or text. */
type StoredValue<Value> = Value extends Uint8Array | Date | Prisma.Decimal
  ? string
  : Value extends bigint
    ? number | string
    : Value extends readonly (infer Item)[]
      ? StoredValue<Item>[]
      : Value

/** A row as text, to compare what is stored with the chain. `values` has the columns that are compared, in their order. */
export interface StoredRow {
  blockNumber: number
  transactionIndex: number
  position: number
  values: readonly (string | null)[]
}

export function comparedValues<Column extends string>(
  columns: readonly Column[],
  row: Readonly<Record<Column, unknown>>,
): (string | null)[] {
  return columns.map((column) => {
    const value = row[column]
    if (value === null) return null
    const text = String(value)
    if (column === 'block_time') return new Date(text).toISOString()
    return text.startsWith('\\x') ? hexOf(text) : text
  })
}

export function json(rows: readonly unknown[]): Prisma.Sql {
  return Prisma.sql`${JSON.stringify(rows)}::json`
}

/** Joins named queries into one statement, one snapshot, which returns a JSON value. */
export function together(queries: Readonly<Record<string, Prisma.Sql>>): Prisma.Sql {
  const parts = Object.entries(queries).map(
    ([name, query]) => Prisma.sql`${name}::text, (SELECT coalesce(json_agg(r), '[]') FROM (${query}) AS r)`,
  )
  return Prisma.sql`SELECT json_build_object(${Prisma.join(parts)})::text AS found`
}

export async function readTogether<Rows extends object>(
  db: Reads,
  queries: { [Name in keyof Rows]: Prisma.Sql },
): Promise<{ [Name in keyof Rows]: Rows[Name][] }> {
  return readJson(db, together(queries))
}

export async function readJson<T>(db: Reads, statement: Prisma.Sql): Promise<T> {
  const [row] = await db.$queryRaw<{ found: string }[]>`${statement}`
  return JSON.parse(row?.found ?? '{}')
}

export async function readRows<Row>(db: Reads, query: Prisma.Sql): Promise<Row[]> {
  return (await readTogether<{ rows: Row }>(db, { rows: query })).rows
}

export function byteaText(hex: Hex): string {
  return `\\x${hex.slice(2)}`
}

/**
 * Use with IN, so that each value is looked up in an index: with `= ANY` of a list, Postgres may compare every row with
 * every element.
 */
export function byteaList(hexes: readonly Hex[]): Prisma.Sql {
  return Prisma.sql`SELECT unnest(${hexes.map(byteaText)}::text[]::bytea[])`
}

export function hexOf(bytea: string): Hex {
  const hex: Hex = `0x${bytea.slice(2)}`
  // Reading a character makes V8 flatten the string; otherwise it keeps the source text alive.
  hex.charCodeAt(0)
  return hex
}

export function bytesOf(hex: Hex): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
}

export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

export function timeOf(seconds: number): Date {
  return new Date(seconds * 1000)
}

/** Returns a formatter that is fast for successive equal times. */
export function timeTexts(): (seconds: number) => string {
  let formatted = -1
  let text = ''
  return (seconds) => {
    if (seconds !== formatted) {
      formatted = seconds
      text = timeOf(seconds).toISOString()
    }
    return text
  }
}

export function secondsOf(time: Date | string): number {
  return Math.floor(new Date(time).getTime() / 1000)
}

export function afterAddress(address: Hex | null): Prisma.Sql {
  return Prisma.sql`${address === null ? '\\x' : byteaText(address)}::bytea`
}

export interface AddressBound {
  address: Hex
  comparison: '>' | '>=' | '<' | '<='
}

export function isBeyond(column: string, bound: AddressBound | null): Prisma.Sql {
  if (bound === null) return Prisma.sql`true`
  return Prisma.sql`${Prisma.raw(`${column} ${bound.comparison}`)} ${byteaText(bound.address)}::bytea`
}

/** Clients choose some of these numbers: without the cast, Postgres would refuse those too large for the column. */
export function inBlocks(chainId: number, { from, to }: BlockRange): Prisma.Sql {
  return Prisma.sql`chain_id = ${chainId} AND block_number BETWEEN ${from}::bigint AND ${to}::bigint`
}
