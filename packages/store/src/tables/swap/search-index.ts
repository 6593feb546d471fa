import { dateOfDay } from '@dexfeed/dex'
import type { Db, Reads } from '../../database/transaction.ts'
import { Prisma } from '../../generated/client.ts'
import { readRows } from '../../stored.ts'

/*
 * Indexes for rollbacks, and for searches by trader or transaction. Maintaining them takes a fifth of the time of
 * writing a row of history, so they are built per partition, once the day is filled. Until then, these searches read
 * the partition.
 *
 * Tables are named by day-partition.ts, so no outside value enters the statements, which cannot have parameters.
 */
const INDEXES = [
  { suffix: 'trader_idx', on: 'trader' },
  { suffix: 'tx_idx', on: '(substring(tx_hash from 1 for 4))' },
] as const

export interface MissingIndex {
  day: number
  table: string
  name: string
  on: string
  /** Rows inserted so far, including deleted ones; the server reports them a second late. */
  received: number
}

export interface Partition {
  day: number
  table: string
  received: number
  indexes: string[]
}

export const SWAP_PARTITIONS = Prisma.sql`
  SELECT to_date(right(relname, 8), 'YYYYMMDD') - DATE '1970-01-01' AS day, relname::text AS table,
    pg_stat_get_tuples_inserted(pg_class.oid)::float8 AS received,
    ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = pg_class.oid AND indisvalid) AS indexes
  FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent = 'swap'::regclass AND NOT inhdetachpending ORDER BY relname DESC`

function missingIn(partitions: readonly Partition[]): MissingIndex[] {
  return partitions.flatMap(({ indexes, ...partition }) =>
    INDEXES.map(({ suffix, on }) => ({ ...partition, name: `${partition.table}_${suffix}`, on })).filter(
      ({ name }) => !indexes.includes(name),
    ),
  )
}

export async function missingSearchIndexes(db: Db): Promise<MissingIndex[]> {
  return missingIn(await readRows<Partition>(db, SWAP_PARTITIONS))
}

/** Returns days since 1970 (UTC), newest first. */
export function toUnindexedDays(partitions: readonly Partition[]): number[] {
  return [...new Set(missingIn(partitions).map(({ day }) => day))]
}

export async function unindexedDays(db: Reads): Promise<number[]> {
  return toUnindexedDays(await readRows<Partition>(db, SWAP_PARTITIONS))
}

export async function unindexedDates(db: Db): Promise<string[]> {
  return (await unindexedDays(db)).map(dateOfDay).reverse()
}

/** The first statement drops a half-built index. Run the statements one by one, outside any transaction. */
export function building({ table, name, on }: MissingIndex): string[] {
  return [`DROP INDEX CONCURRENTLY IF EXISTS ${name}`, `CREATE INDEX CONCURRENTLY ${name} ON ${table} (${on})`]
}
