import type { Client } from 'pg'

/** The tables that grow with trades; each has a partition per day. */
const PARENTS = ['swap', 'swap_hop', 'pool_candle', 'token_candle', 'day_trader'] as const

/** What the rows of trades take on disk. */
export interface TradeSizes {
  /** Trades. */
  rows: number
  /** Bytes of these tables with their indexes, per trade. */
  perTrade: number
  /** The same of each table + its indexes, as text. */
  text: string
}

export async function readTradeSizes(client: Client): Promise<TradeSizes> {
  const { rows: tables } = await client.query<{ parent: string; heap: number; indexes: number }>(
    `SELECT parent, sum(pg_table_size(inhrelid))::float8 AS heap, sum(pg_indexes_size(inhrelid))::float8 AS indexes
     FROM unnest($1::text[]) AS parent JOIN pg_inherits ON inhparent = parent::regclass GROUP BY parent`,
    [PARENTS],
  )
  const { rows: counted } = await client.query<{ count: number }>('SELECT count(*)::float8 AS count FROM swap')
  const rows = counted[0]?.count ?? 0
  const perTrade = (bytes: number) => Math.round(bytes / Math.max(rows, 1))
  const bytes = tables.reduce((sum, { heap, indexes }) => sum + heap + indexes, 0)
  const parts = PARENTS.flatMap((name) => {
    const table = tables.find(({ parent }) => parent === name)
    return table === undefined ? [] : [`${name} ${perTrade(table.heap)} + ${perTrade(table.indexes)}`]
  })
  return { rows, perTrade: perTrade(bytes), text: parts.join(', ') }
}

/** Returns the position in the server's log of changes (WAL), in bytes. */
export async function readWalBytes(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`,
  )
  return rows[0]?.bytes ?? 0
}
