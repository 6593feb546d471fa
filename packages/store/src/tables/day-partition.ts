import { type BlockRange, dateOfDay, startOfDay } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { lockPartitions } from '../database/locks.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { Prisma } from '../generated/client.ts'
import { inBlocks } from '../stored.ts'
import { keptSince } from './kept-days.ts'

// Partition names (swap_20261120) are built here, so no outside value enters these statements, which cannot have
// parameters.

/** In the order of dropping: without its `swap` partition, a day accepts no commits. */
const PARENTS = ['swap', 'swap_hop', 'pool_candle', 'token_volume', 'token_flow', 'day_trader'] as const

interface DayPartition {
  parent: (typeof PARENTS)[number]
  name: string
  bounds: string
  /** Primary key; absent if the partition copies the parent's. */
  key?: string
}

const PLACE = 'chain_id, block_number, transaction_index'

/**
 * Creates the missing partitions. A separate transaction with ATTACH does not block readers and writers of the parent,
 * as CREATE … PARTITION OF would. Returns the days that now have partitions.
 */
export async function ensureDayPartitions(database: Database, days: readonly number[]): Promise<readonly number[]> {
  const needed = days.flatMap(partitionsOf)
  if (needed.length === 0 || (await missingOf(database.prisma, needed)).length === 0) return days
  return inTransaction(database, async (tx) => {
    await lockPartitions(tx)
    const since = await keptSince(tx)
    const kept = since === null ? days : days.filter((day) => day >= since)
    for (const { parent, name, bounds, key } of await missingOf(tx, kept.flatMap(partitionsOf))) {
      await tx.$executeRaw`${Prisma.raw(`CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL)`)}`
      if (key) await tx.$executeRaw`${Prisma.raw(`ALTER TABLE ${name} ADD PRIMARY KEY (${key})`)}`
      await tx.$executeRaw`${Prisma.raw(`ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES ${bounds}`)}`
    }
    return kept
  })
}

function partitionsOf(day: number): DayPartition[] {
  const date = dateOfDay(day)
  const next = dateOfDay(day + 1)
  const start = startOfDay(day)
  const end = startOfDay(day + 1)
  const suffix = suffixOf(day)
  const times = `FROM (to_timestamp(${start})) TO (to_timestamp(${end}))`
  return [
    { parent: 'swap', name: `swap_${suffix}`, bounds: times, key: `${PLACE}, position` },
    { parent: 'swap_hop', name: `swap_hop_${suffix}`, bounds: times, key: `${PLACE}, log_index` },
    { parent: 'pool_candle', name: `pool_candle_${suffix}`, bounds: times },
    { parent: 'token_volume', name: `token_volume_${suffix}`, bounds: times },
    { parent: 'token_flow', name: `token_flow_${suffix}`, bounds: times },
    { parent: 'day_trader', name: `day_trader_${suffix}`, bounds: `FROM ('${date}') TO ('${next}')` },
  ]
}

function suffixOf(day: number): string {
  return dateOfDay(day).replaceAll('-', '')
}

/**
 * Returns partitions that do not exist or are not attached: an interrupted drop leaves one that is, or will be,
 * detached. Reads pg_class, because waiting for the lock does not refresh the cache of to_regclass.
 */
async function missingOf(db: Db, needed: readonly DayPartition[]): Promise<DayPartition[]> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT relname::text AS name FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid AND NOT inhdetachpending
    WHERE relname = ANY (${needed.map(({ name }) => name)})
      AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`
  const attached = new Set(rows.map(({ name }) => name))
  return needed.filter(({ name }) => !attached.has(name))
}

/** Returns days since 1970 (UTC), with one lookup per partition. */
export async function daysOfRange(db: Db, chainId: number, range: BlockRange): Promise<number[]> {
  const rows = await db.$queryRaw<{ day: number }[]>`
    SELECT stored.day - DATE '1970-01-01' AS day
    FROM (SELECT to_date(right(relname, 8), 'YYYYMMDD') AS day
      FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'swap'::regclass) AS stored
    WHERE EXISTS (SELECT FROM swap WHERE ${inBlocks(chainId, range)}
      AND block_time >= stored.day::timestamp AT TIME ZONE 'UTC'
      AND block_time < (stored.day + 1)::timestamp AT TIME ZONE 'UTC')
    ORDER BY 1`
  return rows.map(({ day }) => day)
}

export interface OldPartition {
  parent: (typeof PARENTS)[number]
  name: string
  detach: 'CONCURRENTLY' | 'FINALIZE' | null
}

/** Also returns half-dropped partitions, all in the order of dropping. */
export async function oldPartitions(db: Db, day: number): Promise<OldPartition[]> {
  const found: OldPartition[] = []
  for (const parent of PARENTS) {
    const rows = await db.$queryRaw<Omit<OldPartition, 'parent'>[]>`
      SELECT relname::text AS name,
        CASE WHEN inhdetachpending THEN 'FINALIZE' WHEN inhparent IS NOT NULL THEN 'CONCURRENTLY' END AS detach
      FROM pg_class LEFT JOIN pg_inherits ON inhrelid = pg_class.oid
      WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r'
        AND relname ~ ('^' || ${parent} || '_[0-9]{8}$') AND relname < ${`${parent}_${suffixOf(day)}`}
      ORDER BY relname`
    found.push(...rows.map((row) => ({ parent, ...row })))
  }
  return found
}

/**
 * Detaches the partition first, so that readers and writers can continue. Run the statements one by one, outside any
 * transaction.
 */
export function dropping({ parent, name, detach }: OldPartition): string[] {
  const drop = `DROP TABLE ${name}`
  return detach === null ? [drop] : [`ALTER TABLE ${parent} DETACH PARTITION ${name} ${detach}`, drop]
}
