import { dateOfDay, startOfDay } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'
import { ADVISORY_LOCKS } from '../advisory-locks.ts'
import { inTransaction } from '../transaction.ts'
import { keptSince } from './kept-days.ts'

interface DayPartition {
  table: string
  parent: 'swap' | 'day_trader'
  bounds: string
}

/**
 * Makes the partitions of these days where they are missing, but for days whose rows are no longer kept. In a
 * transaction of its own and by ATTACH, which unlike CREATE … PARTITION OF lets readers and writers of the parent go on.
 *
 * @returns those of the days that have partitions now
 */
export async function ensureDayPartitions(pool: Pool, days: readonly number[]): Promise<readonly number[]> {
  const wanted = days.flatMap(partitionsOf)
  if (wanted.length === 0 || (await missingOf(pool, wanted)).length === 0) return days
  return inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1, 0)', [ADVISORY_LOCKS.partitions])
    const since = await keptSince(tx)
    const kept = since === null ? days : days.filter((day) => day >= since)
    for (const partition of await missingOf(tx, kept.flatMap(partitionsOf))) await create(tx, partition)
    return kept
  })
}

function partitionsOf(day: number): DayPartition[] {
  const [date, next] = [dateOfDay(day), dateOfDay(day + 1)]
  const suffix = date.replaceAll('-', '')
  const [start, end] = [startOfDay(day), startOfDay(day + 1)]
  return [
    { parent: 'swap', table: `swap_${suffix}`, bounds: `FROM (to_timestamp(${start})) TO (to_timestamp(${end}))` },
    { parent: 'day_trader', table: `day_trader_${suffix}`, bounds: `FROM ('${date}') TO ('${next}')` },
  ]
}

/** Asks pg_class itself: to_regclass answers from a cache that waiting for the lock does not refresh. */
async function missingOf(connection: Pool | ClientBase, wanted: readonly DayPartition[]): Promise<DayPartition[]> {
  const { rows } = await connection.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relname = ANY ($1) AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
    [wanted.map(({ table }) => table)],
  )
  const there = new Set(rows.map(({ name }) => name))
  return wanted.filter(({ table }) => !there.has(table))
}

async function create(tx: ClientBase, { parent, table, bounds }: DayPartition): Promise<void> {
  await tx.query(`CREATE TABLE ${table} (LIKE ${parent} INCLUDING ALL)`)
  await tx.query(`ALTER TABLE ${parent} ATTACH PARTITION ${table} FOR VALUES ${bounds}`)
}
