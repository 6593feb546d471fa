import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { projectRoot } from '@dexfeed/service'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, expect, inject, it } from 'vitest'
import { run } from '../src/clickhouse/clickhouse-command.ts'
import { countRows } from '../src/clickhouse/clickhouse-tables.ts'
import { type Loader, loadDays } from '../src/clickhouse/load-days.ts'
import { type ClickHouse, openClickHouse } from '../src/clickhouse/open-clickhouse.ts'
import { type Manifest, manifestKey } from '../src/manifest.ts'
import { type LakeTable, PRICES_LIKE_OPEN, TABLE_NAMES, TABLES, type TableName } from '../src/tables.ts'
import { startFakeClickHouse } from './fake-clickhouse.ts'
import { anyTrades, DATE, fillWorld, NETWORK, openWorld, type World, writeDay1 } from './lake-world.ts'

/** The address of a real ClickHouse, whose user `default` has no password. Without it, a fake answers. */
const REAL = process.env.CLICKHOUSE_TEST_URL
const PASSWORD = REAL === undefined ? 'the-password-of-clickhouse' : ''
const never = new AbortController().signal

let world: World
/** By checksum. */
const files = new Map<string, Manifest['tables'][TableName]>()

beforeAll(async () => {
  world = await openWorld()
})

/** Writes day 1 with the trades of a seed, as the next version. */
async function writeVersion(seed: number): Promise<Manifest> {
  const [trades = []] = fc.sample(anyTrades, { numRuns: 1, seed })
  await fillWorld(world, trades)
  return writeAgain()
}

async function writeAgain(): Promise<Manifest> {
  const manifest = await writeDay1(world)
  if (manifest === null) throw new Error('the day is complete')
  for (const file of Object.values(manifest.tables)) files.set(file.sha256, file)
  return manifest
}

/** A lake in memory that has the day as it is now. */
async function copyOfLake(manifest: Manifest): Promise<Loader['objects']> {
  const contents = new Map<string, Buffer>()
  for (const { file } of Object.values(manifest.tables)) contents.set(file, await readFile(join(world.lake, file)))
  const key = manifestKey(manifest)
  return {
    list: async (prefix) => (key.startsWith(prefix) ? [{ key, bytes: 1 }] : []),
    getText: async () => JSON.stringify(manifest),
    read: async (file) => Readable.from([contents.get(file)]),
  }
}

/** Returns the address of an empty database. */
async function emptyDatabase(): Promise<string> {
  if (REAL === undefined) return startFakeClickHouse(files, PASSWORD)
  const name = `test_${randomBytes(4).toString('hex')}`
  const clickHouse = openClickHouse({ url: REAL, user: 'default', password: PASSWORD }, never)
  await clickHouse.run(`CREATE DATABASE ${name}`)
  await clickHouse.close()
  return `${REAL.replace(/\/$/, '')}/${name}`
}

const open = (url: string) => openClickHouse({ url, user: 'default', password: PASSWORD }, never)

async function load(url: string, over: Record<string, string> = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const environment = { LAKE_URL: world.lake, CLICKHOUSE_PASSWORD: PASSWORD, LOG_FORMAT: 'text', ...over }
  const code = await run(['--url', url], environment, { stdout, stderr })
  const read = (stream: PassThrough) => (stream.setEncoding('utf8').read() ?? '') as string
  return { code, out: read(stdout) + read(stderr) }
}

/** The rows and sums of each table, as its manifest would have them. */
async function contents(clickHouse: ClickHouse, { tables }: Manifest) {
  const found: Record<string, readonly string[]> = {}
  for (const table of TABLE_NAMES) [found[table] = []] = await clickHouse.rows(countRows(table, tables[table].sums))
  return found
}

function expected({ tables }: Manifest) {
  const bits = (sum: string) => (/^\d+$/.test(sum) ? String(BigInt.asUintN(256, BigInt(sum))) : sum)
  return Object.fromEntries(
    TABLE_NAMES.map((table) => [table, [String(tables[table].rows), ...Object.values(tables[table].sums).map(bits)]]),
  )
}

const ownTables = async (clickHouse: ClickHouse) =>
  clickHouse.rows(`SELECT name FROM system.tables
    WHERE database = currentDatabase() AND match(name, '_loading_') ORDER BY name`)

it('loads the days that ClickHouse lacks, and those with another version', async () => {
  const url = await emptyDatabase()
  const clickHouse = open(url)
  for (const version of [1, 2]) {
    const manifest = await writeVersion(version)
    const first = await load(url)
    expect([first.code, first.out.match(/loaded a day/g)?.length]).toEqual([0, 1])
    expect(await contents(clickHouse, manifest)).toEqual(expected(manifest))
    const again = await load(url)
    expect([again.code, again.out.includes('loaded a day')]).toEqual([0, false])
  }
  // The same rows under another version.
  const manifest = await writeAgain()
  expect((await load(url)).out).toContain('loaded a day')
  const versions = await clickHouse.rows('SELECT network, date, version, written_at FROM lake_days FINAL')
  expect(versions).toEqual([[NETWORK, DATE, String(manifest.version), manifest.written_at]])
  // A table was emptied by hand.
  await clickHouse.run('TRUNCATE TABLE hops')
  expect((await load(url)).out).toContain('loaded a day')
  expect(await ownTables(clickHouse)).toEqual([])
  await clickHouse.close()
})

const LOG = { info: () => undefined, error: () => undefined }

/** Runs `before` at each statement that changes something, with its number. */
function stepped(clickHouse: ClickHouse, before: (step: number) => Promise<void>): ClickHouse {
  let step = 0
  return {
    ...clickHouse,
    async run(sql) {
      await before(step++)
      await clickHouse.run(sql)
    },
    async send(sql, body) {
      await before(step++).catch((error: unknown) => {
        body.destroy()
        throw error
      })
      await clickHouse.send(sql, body)
    },
  }
}

it('a day is loaded whole after a failure at each step', async () => {
  const clickHouse = open(await emptyDatabase())
  const loaderOf = async (seed: number) => {
    const manifest = await writeVersion(seed)
    return { manifest, clickHouse, log: LOG, objects: await copyOfLake(manifest) }
  }
  let [old, next] = [await loaderOf(3), await loaderOf(4)]
  await loadDays(old, never)
  for (let first = 0; ; first += inject('scale') === 1 ? 3 : 1) {
    let last = -1
    const failing = stepped(clickHouse, async (step) => {
      last = step
      if (step >= first) throw new Error('killed')
    })
    await loadDays({ ...next, clickHouse: failing }, never).catch(() => false)
    // Each table has the one or the other.
    for (const [table, found] of Object.entries(await contents(clickHouse, next.manifest))) {
      expect([expected(old.manifest)[table], expected(next.manifest)[table]]).toContainEqual(found)
    }
    expect(await loadDays(next, never)).toBe(true)
    expect(await contents(clickHouse, next.manifest)).toEqual(expected(next.manifest))
    expect(await ownTables(clickHouse)).toEqual([])
    if (last < first) break
    ;[old, next] = [next, old]
  }
})

it('a run that begins ends the one that is running, which changes nothing any more', async () => {
  const clickHouse = open(await emptyDatabase())
  const loader = { clickHouse, objects: world.objects, log: LOG }
  const tables = TABLE_NAMES.length
  const ended = new Error('another run has begun, and continues')
  // While its own tables are made (it then finds nothing to do), filled, and put in place.
  for (const [at, outcome] of [
    [2 * tables + 2, true],
    [3 * tables + 4, ended],
    [5 * tables + 1, ended],
    [5 * tables + 5, ended],
  ] as const) {
    await writeVersion(5)
    let seen: Manifest | null = null
    const slow = stepped(clickHouse, async (step) => {
      if (step !== at) return
      seen = await writeVersion(6)
      expect(await loadDays(loader, never)).toBe(true)
    })
    expect(await loadDays({ ...loader, clickHouse: slow }, never).catch((error: unknown) => error)).toEqual(outcome)
    if (seen === null) throw new Error('the second run has not begun')
    expect(await contents(clickHouse, seen)).toEqual(expected(seen))
    expect(await ownTables(clickHouse)).toEqual([])
  }
})

it('a file that is cut, or another one, replaces nothing', async () => {
  const url = await emptyDatabase()
  const clickHouse = open(url)
  const first = await writeVersion(7)
  const others = await copyOfLake(first)
  await load(url)
  const { tables } = await writeVersion(8)
  const messages: string[] = []
  const log = { ...LOG, error: (_: unknown, message?: string) => void messages.push(message ?? '') }
  const cut = async (key: string) => {
    const text = await world.objects.read(key).then((stream) => stream.toArray())
    return Readable.from([Buffer.concat(text).subarray(0, -100)])
  }
  const other = (key: string) =>
    key === tables.hops.file ? others.read(first.tables.hops.file) : world.objects.read(key)
  for (const read of [cut, other]) {
    expect(await loadDays({ clickHouse, objects: { ...world.objects, read }, log }, never)).toBe(false)
    expect(messages.splice(0)).toEqual(['a day could not be loaded into ClickHouse: run the command again'])
    expect(await contents(clickHouse, first)).toEqual(expected(first))
  }
})

it('refuses a wrong address, and never shows the password', async () => {
  const url = await emptyDatabase()
  for (const wrong of ['http://user:SECRET@host', 'http://host/?password=SECRET', 'clickhouse:9000', '']) {
    const { code, out } = await load(wrong)
    expect([code, out]).toEqual([1, expect.stringMatching(/^--url: /)])
    expect(out).not.toContain('SECRET')
  }
  if (REAL !== undefined) return
  const { code, out } = await load(url, { CLICKHOUSE_PASSWORD: 'another-SECRET' })
  expect([code, out]).toEqual([1, expect.stringContaining('AUTHENTICATION_FAILED')])
  expect(out).not.toContain('SECRET')
})

/** As ClickHouse shows it. */
const NULL = 'ᴺᵁᴸᴸ'

/** Selects a column as text in DuckDB, and in ClickHouse. */
function texts(table: TableName): [duck: string, clickHouse: string][] {
  const { columns }: LakeTable = TABLES[table]
  const names = columns.map(([name]) => name)
  return columns.map(([name, type]) => {
    const isAmount = names.includes(`${name}_double`)
    if (type === 'TIMESTAMPTZ') return [`epoch_us(${name})::VARCHAR`, `toUnixTimestamp64Micro(${name})`]
    const bytes = PRICES_LIKE_OPEN.includes(name) ? `coalesce(${name}, open)` : name
    if (isAmount && type === 'BLOB')
      return [`lower(hex(${bytes}))`, `lower(hex(reverse(reinterpretAsFixedString(${name}))))`]
    if (type === 'BLOB') return [`lower(hex(${name}))`, `lower(hex(${name}))`]
    if (type === 'BLOB[]') {
      return [
        `coalesce(array_to_string(list_transform(${name}, lambda item: lower(hex(item))), ','), '')`,
        `arrayStringConcat(arrayMap(item -> lower(hex(${isAmount ? 'reverse(reinterpretAsFixedString(item))' : 'item'})), ${name}), ',')`,
      ]
    }
    if (type === 'DOUBLE[]') return [`coalesce(len(${name}), 0)::VARCHAR`, `length(${name})`]
    if (type === 'DOUBLE') return [`printf('%.14e', ${name})`, `printf('%.14e', ${name})`]
    return [`${name}::VARCHAR`, name]
  })
}

it.skipIf(REAL === undefined)('has the rows of the files', async () => {
  const url = await emptyDatabase()
  const clickHouse = open(url)
  const instance = await DuckDBInstance.create(':memory:')
  const duck = await instance.connect()
  for (const seed of [9, 10, 11]) {
    const manifest = await writeVersion(seed)
    await load(url)
    for (const table of TABLE_NAMES) {
      const file = join(world.lake, manifest.tables[table].file)
      const [ours, theirs] = [0, 1].map((n) =>
        texts(table)
          .map((pair) => pair[n])
          .join(),
      )
      const rows = await duck.runAndReadAll(`SELECT ${ours} FROM read_parquet('${file}', hive_partitioning = false)`)
      const sorted = (all: readonly (readonly unknown[])[]) =>
        all.map((row) => JSON.stringify(row.map((value) => (value === NULL ? null : value)))).sort()
      const found = await clickHouse.rows(`SELECT ${theirs} FROM ${table}`)
      expect(sorted(found)).toEqual(sorted(rows.getRowsJson()))
    }
  }
})

it.skipIf(REAL === undefined)('answers each statement of the guide', async () => {
  const page = await readFile(join(projectRoot(), 'docs/guide/lake.md'), 'utf8')
  const [, section = ''] = /\n## ClickHouse\n(.*)/s.exec(page) ?? []
  const statements = [...section.matchAll(/```sql\n(.*?)```/gs)]
    .flatMap(([, sql = '']) => sql.split(/;\n/))
    .filter(Boolean)
  expect(statements).toHaveLength(3)
  const url = await emptyDatabase()
  await writeVersion(1)
  await load(url)
  const clickHouse = open(url)
  for (const sql of statements) expect((await clickHouse.rows(sql)).length).toBeGreaterThan(0)
})
