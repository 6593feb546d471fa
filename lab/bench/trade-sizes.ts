import type { Client } from 'pg'

export interface TradeSizes {
  rows: number
  /** Bytes per trade in all tables and indexes. */
  perTrade: number
  /** Bytes per trade in each table + its indexes. */
  text: string
}

export async function readTradeSizes(client: Client): Promise<TradeSizes> {
  const { rows: tables } = await client.query<{ parent: string; heap: number; indexes: number }>(
    `SELECT relname::text AS parent, sum(pg_table_size(inhrelid))::float8 AS heap,
       sum(pg_indexes_size(inhrelid))::float8 AS indexes
     FROM pg_inherits JOIN pg_class ON pg_class.oid = inhparent AND relkind = 'p' GROUP BY relname
     ORDER BY sum(pg_total_relation_size(inhrelid)) DESC`,
  )
  const { rows: counted } = await client.query<{ count: number }>('SELECT count(*)::float8 AS count FROM swap')
  const rows = counted[0]?.count ?? 0
  const perTrade = (bytes: number) => Math.round(bytes / Math.max(rows, 1))
  const bytes = tables.reduce((sum, { heap, indexes }) => sum + heap + indexes, 0)
  const text = tables
    .map(({ parent, heap, indexes }) => `${parent} ${perTrade(heap)} + ${perTrade(indexes)}`)
    .join(', ')
  return { rows, perTrade: perTrade(bytes), text }
}

/** The indexer builds search indexes when a day is complete. */
export async function haveSearchIndexes(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ missing: number }>(
    `SELECT count(*)::int AS missing FROM pg_inherits AS day WHERE inhparent = 'swap'::regclass AND 2 <> (
       SELECT count(*) FROM pg_index WHERE indrelid = day.inhrelid AND indisvalid
         AND indexrelid::regclass::text ~ '_(trader|tx)_idx$')`,
  )
  return rows[0]?.missing === 0
}

export async function readWalBytes(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`,
  )
  return rows[0]?.bytes ?? 0
}
