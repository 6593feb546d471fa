import { dateOfDay } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'

/*
 * Indexes of a day's trades that only searches by trader or transaction use, and rollbacks. Writing a row of history
 * into them costs as much as a fifth of the row, so they are built per partition, once the day is filled. Until then, a
 * search by trader scans as one without an index, and the others read the partition.
 *
 * Tables are named by day-partition.ts, so no foreign value enters the statements, which cannot have parameters.
 */
const INDEXES = [
  { suffix: 'trader_idx', on: 'trader' },
  { suffix: 'tx_idx', on: '(substring(tx_hash from 1 for 4))' },
] as const

/** An index that a day's partition of `swap` lacks. */
export interface MissingIndex {
  /** Days since 1970, UTC. */
  day: number
  table: string
  name: string
  on: string
  /** How many rows the partition has received so far, also deleted ones; the server reports them a second late. */
  received: number
}

/** Returns the search indexes that are missing or were not built to the end, those of the newest days first. */
export async function missingSearchIndexes(db: Db): Promise<MissingIndex[]> {
  const rows = await db.$queryRaw<{ day: number; table: string; received: number; indexes: string[] }[]>`
    SELECT to_date(right(relname, 8), 'YYYYMMDD') - DATE '1970-01-01' AS day, relname::text AS table,
      pg_stat_get_tuples_inserted(pg_class.oid)::float8 AS received,
      ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = pg_class.oid AND indisvalid) AS indexes
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'swap'::regclass AND NOT inhdetachpending ORDER BY relname DESC`
  return rows.flatMap(({ indexes, ...partition }) =>
    INDEXES.map(({ suffix, on }) => ({ ...partition, name: `${partition.table}_${suffix}`, on })).filter(
      ({ name }) => !indexes.includes(name),
    ),
  )
}

/** Returns the days (since 1970, UTC) that lack a search index, the newest first. */
export async function unindexedDays(db: Db): Promise<number[]> {
  return [...new Set((await missingSearchIndexes(db)).map(({ day }) => day))]
}

/** Returns the same as dates (YYYY-MM-DD), the oldest first. */
export async function unindexedDates(db: Db): Promise<string[]> {
  return (await unindexedDays(db)).map(dateOfDay).reverse()
}

/**
 * Returns the statements that build an index while rows are written. Run them one by one, outside any transaction. One
 * that was not built to the end has its name, and is dropped first.
 */
export function building({ table, name, on }: MissingIndex): string[] {
  return [`DROP INDEX CONCURRENTLY IF EXISTS ${name}`, `CREATE INDEX CONCURRENTLY ${name} ON ${table} (${on})`]
}
