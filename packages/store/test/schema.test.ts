import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrationsFolder } from '../src/migrate/migration-history.ts'
import { readSchema } from '../src/migrate/schema-drift.ts'
import { database, openForFile, rows } from './rows/scene.ts'

/** The Postgres types of the schema's field types. */
const TYPES: Record<string, string> = {
  Int: 'integer',
  'Int[]': 'integer[]',
  'Int @db.SmallInt': 'smallint',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Bytes: 'bytea',
  'Bytes[]': 'bytea[]',
  String: 'text',
  'String[]': 'text[]',
  Json: 'jsonb',
  'DateTime @db.Timestamptz(3)': 'timestamp(3) with time zone',
  'DateTime @db.Date': 'date',
  'Decimal @db.Decimal': 'numeric',
  'Decimal[] @db.Decimal': 'numeric[]',
  'Decimal @db.Decimal(78, 0)': 'numeric(78,0)',
}

openForFile(2)

/** Returns `table.column type [null]` for every field of schema.prisma. */
async function described(): Promise<string[]> {
  const schema = await readFile(join(migrationsFolder(), '..', 'schema.prisma'), 'utf8')
  return [...schema.matchAll(/^model \w+ \{(.*?)^\}/gms)].flatMap(([, body = '']) => {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1]
    return [...body.matchAll(/^ {2}(\w+) +(\w+(?:\[\])?)(\??)(.*)$/gm)].map(([, field, type, optional, rest = '']) => {
      const native = /@db\.\w+(\([\d, ]+\))?/.exec(rest)?.[0]
      const column = /@map\("(\w+)"\)/.exec(rest)?.[1] ?? field
      return `${table}.${column} ${TYPES[native ? `${type} ${native}` : `${type}`]}${optional ? ' null' : ''}`
    })
  })
}

test('schema.prisma describes exactly the columns that the migrations create', async () => {
  const columns = await rows(
    `SELECT relname || '.' || attname || ' ' || format_type(atttypid, atttypmod)
         || CASE WHEN attnotnull THEN '' ELSE ' null' END AS line
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
         AND attnum > 0 AND NOT attisdropped AND relname <> '_prisma_migrations'`,
  )
  expect((await described()).sort()).toEqual(columns.map(({ line }) => line).sort())
})

test('schema.txt lists what the migrations create', async () => {
  const file = join(migrationsFolder(), 'schema.txt')
  await expect(`${(await readSchema(database)).join('\n')}\n`).toMatchFileSnapshot(file)
})
