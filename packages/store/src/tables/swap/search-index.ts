import { dateOfDay } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'

/*
 * Indexes of a day's trades that only searches by trader or transaction use, and rollbacks by trader. Writing a row of
 * history into them costs as much as a fifth of the row, so they are built per partition, once the day is complete.
 * Until then, these statements read the day's rows, or all of its partition.
 *
 * Names and columns are constants of this file, so no foreign value enters the statements, which cannot have parameters.
 */
const INDEXES = [
  { suffix: 'trader_idx', on: 'trader' },
  { suffix: 'tx_idx', on: '(substring(tx_hash from 1 for 4))' },
] as const

/** An index that a day's partition of `swap` lacks. */
export interface MissingIndex {
  /** Since 1970, UTC. */
  day: number
  table: string
  name: string
  on: string
}

/** Returns the search indexes that are missing or were not built to the end, those of the newest days first. */
export async function missingSearchIndexes(db: Db): Promise<MissingIndex[]> {
  const rows = await db.$queryRaw<{ day: number; table: string; indexes: string[] }[]>`
    SELECT to_date(right(relname, 8), 'YYYYMMDD') - DATE '1970-01-01' AS day, relname::text AS table,
      ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = pg_class.oid AND indisvalid) AS indexes
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'swap'::regclass AND NOT inhdetachpending ORDER BY relname DESC`
  return rows.flatMap(({ day, table, indexes }) =>
    INDEXES.map(({ suffix, on }) => ({ day, table, name: `${table}_${suffix}`, on })).filter(
      ({ name }) => !indexes.includes(name),
    ),
  )
}

/** Returns whether each of these days has the index of traders. */
export async function haveTraderIndex(db: Db, days: readonly number[]): Promise<boolean> {
  const missing = await missingSearchIndexes(db)
  return !missing.some(({ on, day }) => on === 'trader' && days.includes(day))
}

/**
 * Returns the statements that build an index while rows are written. Run them one by one, outside any transaction. One
 * that was not built to the end has its name, and is dropped first.
 */
export function building({ table, name, on }: MissingIndex): string[] {
  return [`DROP INDEX CONCURRENTLY IF EXISTS ${name}`, `CREATE INDEX CONCURRENTLY ${name} ON ${table} (${on})`]
}

/** Returns the dates (YYYY-MM-DD) of the days that lack a search index, the oldest first. */
export async function daysWithoutIndexes(db: Db): Promise<string[]> {
  return [...new Set((await missingSearchIndexes(db)).map(({ day }) => dateOfDay(day)))].reverse()
}
