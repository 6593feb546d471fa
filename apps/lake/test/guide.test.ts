import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { projectRoot } from '@dexfeed/service'
import { temporaryFolder } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTable, insertFile } from '../src/clickhouse/clickhouse-tables.ts'
import { openDuck } from '../src/duck.ts'
import { fileKey, manifestKey } from '../src/manifest.ts'
import { folderStore } from '../src/objects/folder.ts'
import { attachPostgres } from '../src/query/attach-postgres.ts'
import { run } from '../src/query/query-command.ts'
import { readManifests } from '../src/read-manifests.ts'
import { type LakeTable, TABLE_NAMES, TABLES, type TableName } from '../src/tables.ts'
import { anyTrades, DATE, fillWorld, NETWORK, openWorld, writeDay1 } from './lake-world.ts'

const file = join(projectRoot(), 'docs/guide/lake.md')
const page = readFileSync(file, 'utf8')

function sectionOf(name: TableName): string {
  const { about, order, columns }: LakeTable = TABLES[name]
  const rows = columns.map(([column, type, meaning]) => `| \`${column}\` | \`${type}\` | ${meaning} |`)
  const table = ['| column | type | meaning |', '| --- | --- | --- |', ...rows].join('\n')
  return `### ${name}\n\n${about} Sorted by ${order}.\n\n<!-- generated: npm test -- apps/lake -u -->\n${table}\n`
}

it('the guide has the columns of every table', async () => {
  const made = `\n## Tables\n\n${TABLE_NAMES.map(sectionOf).join('\n')}\n## DuckDB\n`
  await expect(page.replace(/\n## Tables\n.*\n## DuckDB\n/s, () => made)).toMatchFileSnapshot(file)
})

/** The types of other engines; `ARRAY` encloses the type of an item. */
const ENGINE_TYPES: Record<string, Record<string, string>> = {
  Trino: {
    ...{ BIGINT: 'BIGINT', BLOB: 'VARBINARY', BOOLEAN: 'BOOLEAN', 'DECIMAL(38,8)': 'DECIMAL(38, 8)', DOUBLE: 'DOUBLE' },
    ...{ INTEGER: 'INTEGER', SMALLINT: 'SMALLINT', TIMESTAMPTZ: 'TIMESTAMP', VARCHAR: 'VARCHAR', '[]': 'ARRAY(*)' },
  },
  Spark: {
    ...{ BIGINT: 'BIGINT', BLOB: 'BINARY', BOOLEAN: 'BOOLEAN', 'DECIMAL(38,8)': 'DECIMAL(38, 8)', DOUBLE: 'DOUBLE' },
    ...{ INTEGER: 'INT', SMALLINT: 'SMALLINT', TIMESTAMPTZ: 'TIMESTAMP', VARCHAR: 'STRING', '[]': 'ARRAY<*>' },
  },
}

function listColumns(engine: string, table: TableName): string {
  const types = ENGINE_TYPES[engine] ?? {}
  const { columns }: LakeTable = TABLES[table]
  const lines = [...columns, ['network', 'VARCHAR'], ['date', 'VARCHAR']].map(([name, type = '']) => {
    const item = types[type.replace('[]', '')]
    if (item === undefined) throw new Error(`${engine} has no type for ${type}`)
    return `  ${name} ${type.endsWith('[]') ? types['[]']?.replace('*', item) : item}`
  })
  return lines.join(',\n')
}

const trino = (table: TableName) => `CREATE TABLE hive.dex.${table} (
${listColumns('Trino', table)}
) WITH (
  format = 'PARQUET', external_location = 's3://bucket/prefix/table=${table}/', partitioned_by = ARRAY['network', 'date']
)`

const spark = (table: TableName) => `CREATE TABLE ${table} (
${listColumns('Spark', table)}
) USING parquet PARTITIONED BY (network, date) LOCATION 's3a://bucket/prefix/table=${table}/'`

it('the guide has the statements of other engines', async () => {
  const engines = join(projectRoot(), 'docs/guide/lake-engines.md')
  const blocks = [
    TABLE_NAMES.map(createTable),
    [insertFile('swaps_loading_0a1b2c3d', 'swaps', { network: 'bsc', date: '2026-11-20' })],
    TABLE_NAMES.map(trino),
    TABLE_NAMES.map(spark),
  ]
  let at = 0
  const made = readFileSync(engines, 'utf8').replace(
    /```sql\n.*?```/gs,
    () => `\`\`\`sql\n${blocks[at++]?.join(';\n\n')}\n\`\`\``,
  )
  expect(at).toBe(blocks.length)
  await expect(made).toMatchFileSnapshot(engines)
})

describe('npm run query', () => {
  let lake: string

  beforeAll(async () => {
    const world = await openWorld()
    const made = fc.sample(anyTrades, { numRuns: 20, seed: 4 })
    const trades = made.reduce((most, other) => (other.length > most.length ? other : most))
    await fillWorld(world, trades)
    await writeDay1(world)
    // A version that a manifest does not name.
    await world.objects.putText(`table=swaps/network=${NETWORK}/date=${DATE}/9.parquet`, 'half a file')
    lake = world.lake
  })

  async function query(sql: string, folder = lake, over: Record<string, string> = {}) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const read = (stream: PassThrough) => stream.setEncoding('utf8').read() ?? ''
    const code = await run([sql], { LAKE_URL: folder, LOG_FORMAT: 'text', ...over }, { stdout, stderr })
    return { code, out: read(stdout) as string, error: read(stderr) as string }
  }

  /** Writes candles as version 1 did. */
  async function fillPrices(from: string, to: string): Promise<void> {
    const duck = await openDuck(temporaryFolder(), new AbortController().signal)
    const prices = ['high', 'low', 'close'].map((price) => `coalesce(${price}, open) AS ${price}`)
    await duck.run(
      `COPY (SELECT * REPLACE (${prices.join()}) FROM read_parquet('${from}', hive_partitioning = false)) TO '${to}'`,
    )
    duck.close()
  }

  it('answers from the files that the manifests name', async () => {
    const { code, out } = await query(
      'SELECT network, date::VARCHAR, count(*) > 0, count(*) = max(totals.swaps) FROM swaps JOIN day_totals AS totals USING (network, date) GROUP BY ALL',
    )
    expect([code, out.split('\n')[1]]).toEqual([0, `${NETWORK}\t${DATE}\ttrue\ttrue`])
    const bytes = await query('SELECT DISTINCT address FROM tokens ORDER BY ALL LIMIT 1')
    expect(bytes.out).toMatch(/^address\n0x0{39}1\n$/)
  })

  it('answers each statement of the guide', async () => {
    const [, duck = ''] = /\n## DuckDB\n(.*)\n## ClickHouse/s.exec(page) ?? []
    const statements = [
      ...[...duck.matchAll(/run -s query -- "([^"]+)"/g)].map(([, sql = '']) => sql),
      ...[...duck.matchAll(/```sql\n(.*?)```/gs)].flatMap(([, sql = '']) => sql.split(/;\n/)),
    ].filter((sql) => sql.trim() !== '')
    expect(statements).toHaveLength(4)
    for (const sql of statements) {
      const { code, out, error } = await query(sql)
      expect([code, error]).toEqual([0, ''])
      expect([sql, out.trim().split('\n').length > 1]).toEqual([sql, true])
    }
  })

  it('reads days of schema version 1 together with new ones', async () => {
    const [manifest] = await readManifests(folderStore(lake, temporaryFolder()), NETWORK)
    if (manifest === undefined) throw new Error('a day was written')
    const both = temporaryFolder()
    cpSync(lake, both, { recursive: true })
    const objects = folderStore(both, temporaryFolder())
    const old = { network: NETWORK, date: '2026-11-19' }
    for (const table of TABLE_NAMES) {
      const [from, to] = [manifest.tables[table].file, fileKey(table, old, manifest.version)]
      cpSync(join(lake, from), join(both, to))
      manifest.tables[table].file = to
      if (table === 'candles') await fillPrices(join(lake, from), join(both, to))
    }
    await objects.putText(manifestKey(old), JSON.stringify({ ...manifest, ...old, schema_version: 1 }))
    const prices = 'count(open), count(high), count(low), count(close), min(high) >= min(open), sum(high_double)'
    const { out } = await query(`SELECT ${prices} FROM candles GROUP BY date`, both)
    const [, oldDay = '', newDay] = out.split('\n')
    expect(newDay).toBe(oldDay)
    expect(oldDay).toMatch(/^([1-9]\d*)\t\1\t\1\t\1\ttrue\t/)
  })

  it('answers from the lake alone if DuckDB cannot reach Postgres', async () => {
    const url = 'postgresql://user:SECRET@127.0.0.1:1/dexfeed'
    const { code, out, error } = await query('SELECT count(*) > 0 AS found FROM swaps', lake, { DATABASE_URL: url })
    expect([code, out]).toEqual([0, 'found\ntrue\n'])
    expect(error).toContain('Postgres is left out of the query')
    expect(error).not.toContain('SECRET')
  })

  it('attaches Postgres so that it can only be read', async () => {
    const statements: string[] = []
    const run = async (sql: string) => {
      statements.push(sql)
      if (sql === 'LOAD postgres') throw new Error('it is not installed')
    }
    expect(await attachPostgres({ run }, "postgresql://it's")).toBeNull()
    expect(statements.slice(1)).toEqual([
      'INSTALL postgres; LOAD postgres',
      "ATTACH 'postgresql://it''s' AS pg (TYPE postgres, READ_ONLY)",
    ])
  })

  it('answers without days, and reports a statement that is wrong', async () => {
    expect((await query('SELECT count(*) AS days FROM hops', temporaryFolder())).out).toBe('days\n0\n')
    const { code, error } = await query('SELECT none FROM swaps')
    expect([code, error]).toEqual([1, expect.stringContaining('none')])
  })
})
