import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../database/database.ts'
import { migrationsFolder } from './migration-history.ts'

/**
 * Lines of `prisma/migrations/schema.txt` that the database lacks, and lines about dexfeed's tables that only the
 * database has.
 */
export interface SchemaDrift {
  missing: string[]
  unexpected: string[]
}

export async function schemaDrift(database: Database): Promise<SchemaDrift> {
  const expected = readFileSync(join(migrationsFolder(), 'schema.txt'), 'utf8').trimEnd().split('\n')
  const live = await readSchema(database)
  const tables = new Set(expected.map(tableOf))
  return {
    missing: [...unlike(expected, live), ...(await partitionsWithoutKey(database))],
    unexpected: unlike(live, expected).filter((line) => tables.has(tableOf(line))),
  }
}

function unlike(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others.map(wordsOf))
  return lines.filter((line) => !known.has(wordsOf(line)))
}

/** Versions of Postgres quote and bracket expressions differently, so only words are compared. */
function wordsOf(line: string): string {
  return line.replace(/["()\s]+/g, ' ')
}

function tableOf(line: string): string {
  return line.slice(0, line.indexOf(' '))
}

/**
 * Returns a sorted line per column, constraint and index of each table. Partitions are left out, because they cannot
 * lose what they inherit from their table. The line of a constraint also stands for the index behind it. An invalid
 * index serves no read, so it counts as missing.
 */
export async function readSchema({ prisma }: Database): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ line: string }[]>`
    WITH listed AS (
      SELECT oid, relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> '_prisma_migrations'
    )
    SELECT relname || ' column ' || attname || ' ' || format_type(atttypid, atttypmod)
      || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
      || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '') AS line
    FROM listed JOIN pg_attribute ON attrelid = oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT relname || ' constraint ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
    FROM listed JOIN pg_constraint ON conrelid = listed.oid WHERE contype IN ('c', 'f', 'p', 'u', 'x') AND convalidated
    UNION ALL
    SELECT relname || ' index ' || replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
    FROM listed JOIN pg_index ON indrelid = oid WHERE indisvalid
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    UNION ALL
    SELECT relname || ' partitioned by ' || pg_get_partkeydef(listed.oid)
    FROM listed JOIN pg_partitioned_table ON partrelid = listed.oid`
  return rows.map(({ line }) => line).sort()
}

/** Returns partitions without a primary key, which would keep rows from being stored twice. */
async function partitionsWithoutKey({ prisma }: Database): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ line: string }[]>`
    SELECT inhparent::regclass || ' primary key of ' || inhrelid::regclass AS line
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid AND relkind = 'r'
    WHERE relnamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = inhrelid AND indisprimary) ORDER BY line`
  return rows.map(({ line }) => line)
}
