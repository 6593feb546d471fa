import { randomBytes } from 'node:crypto'
import { dayOf } from '@dexfeed/dex'
import {
  assertMigrated,
  DatabaseNotMigrated,
  DatabaseTooNew,
  DatabaseUnreachable,
  MigrationFailed,
  migrate,
  openDatabase,
  openIndexerStore,
  READER_ROLE,
} from '@dexfeed/store'
import { connectTo, emptyDatabase, testDatabase } from '@dexfeed/test-setup'
import { describe, expect, it } from 'vitest'
import { readMigrations } from '../src/migrate/migration-history.ts'
import { open } from './rows/sample.ts'

const quiet = { info() {}, warn() {} }
/** Enough for tests of how migrations are run. */
const FEW = readMigrations().slice(0, 3)

function listeningLog() {
  const warnings: string[] = []
  return { warnings, log: { info() {}, warn: (_: object, message: string) => void warnings.push(message) } }
}

function urlOf(url: string, user: string, password: string) {
  const other = new URL(url)
  other.username = user
  other.password = password
  return other.href
}

/** Returns a database with the migrations before `name`. */
async function migratedBefore(name: string) {
  const url = await emptyDatabase()
  await migrate(url, { log: quiet, migrations: readMigrations().filter((migration) => migration.name < name) })
  return { url, database: await open(url) }
}

describe('migrate', () => {
  it('brings an empty database up to date and records it as Prisma does', async () => {
    const url = await emptyDatabase()
    const first = await migrate(url, { log: quiet })
    expect(first.applied).toContain('20261121000000_init')
    const database = await open(url)
    const { rows } = await database.pool.query('SELECT migration_name, finished_at, checksum FROM _prisma_migrations')
    expect(rows.map((row) => row.migration_name)).toEqual(first.applied)
    expect(rows.every((row) => row.finished_at !== null && /^[0-9a-f]{64}$/.test(row.checksum))).toBe(true)
    await assertMigrated(database)
  })

  it('does nothing the second time, and lets one of several parallel runs do the work', async () => {
    const url = await emptyDatabase()
    const run = () => migrate(url, { log: quiet, migrations: FEW })
    const results = await Promise.all([run(), run(), run()])
    expect(results.flatMap(({ applied }) => applied)).toEqual(FEW.map(({ name }) => name))
    expect(await run()).toEqual({ applied: [] })
  })

  it('may run for several databases of a cluster at the same time', async () => {
    const urls = await Promise.all([1, 2, 3, 4].map(() => emptyDatabase()))
    const apiUser = `api_${randomBytes(4).toString('hex')}`
    const run = (url: string) => migrate(url, { log: quiet, migrations: FEW, apiUrl: urlOf(url, apiUser, 'secret') })
    await Promise.all(urls.map(run))
  })

  it('counts the addresses of existing rows by the networks they traded on', async () => {
    const { url, database } = await migratedBefore('20261122000000')
    await database.pool.query(`
      CREATE TABLE swap_x PARTITION OF swap FOR VALUES FROM ('2026-11-20 00:00Z') TO ('2026-11-21 00:00Z');
      CREATE TABLE day_trader_x PARTITION OF day_trader FOR VALUES FROM ('2026-11-20') TO ('2026-11-21');
      INSERT INTO swap (chain_id, block_number, transaction_index, position, block_time, tx_hash, trader, sell_token,
        sell_native, sell_amount, buy_token, buy_native, buy_amount)
      SELECT chain, n, 0, 0, '2026-11-20 12:00Z', sha256(''), decode(repeat(trader, 20), 'hex'), decode(repeat('01', 20), 'hex'),
        false, 1, decode(repeat('02', 20), 'hex'), false, 1
      FROM (VALUES (1, 1, 'aa'), (1, 2, 'aa'), (56, 1, 'aa'), (137, 1, 'bb'), (1, 3, NULL)) AS v (chain, n, trader);
      INSERT INTO day_trader SELECT '2026-11-20', trader, count(*) FROM swap WHERE trader IS NOT NULL GROUP BY trader;
      INSERT INTO day_address_count VALUES ('2026-11-20', 2), ('2026-11-10', 7), ('2026-11-09', 8);
      INSERT INTO day_total VALUES ('2026-11-20', 1, 3, 3, 0, 0), ('2026-11-10', 56, 1, 1, 0, 0), ('2026-11-10', 1, 1, 1, 0, 0)`)
    await migrate(url, { log: quiet })
    const rows = async (sql: string) => (await database.pool.query<{ line: string }>(sql)).rows.map(({ line }) => line)
    expect(await rows(`SELECT networks::text AS line FROM day_trader ORDER BY trader`)).toEqual(['3', '4'])
    expect(
      await rows(
        `SELECT concat_ws(' ', day, networks, addresses) AS line FROM day_address_count ORDER BY day, networks`,
      ),
    ).toEqual(['2026-11-09 7 8', '2026-11-10 3 7', '2026-11-20 3 1', '2026-11-20 4 1'])
    const store = openIndexerStore(database, 'eth')
    const differing = (await store.compareDay(dayOf(Date.UTC(2026, 10, 20) / 1000))).map(({ table }) => table)
    expect(differing.filter((table) => table !== 'day_total')).toEqual([])
  })

  it('gives each partition a narrow key', async () => {
    const { url, database } = await migratedBefore('20261128200000')
    await database.pool.query(`
      CREATE TABLE swap_20261120 PARTITION OF swap FOR VALUES FROM ('2026-11-20 00:00Z') TO ('2026-11-21 00:00Z');
      INSERT INTO swap (chain_id, block_number, transaction_index, position, block_time, tx_hash, sell_token,
        sell_native, sell_amount, buy_token, buy_native, buy_amount)
      VALUES (56, 78000000, 0, 0, '2026-11-20 12:00Z', sha256(''), decode(repeat('01', 20), 'hex'), false, 1,
        decode(repeat('02', 20), 'hex'), false, 1)`)
    await migrate(url, { log: quiet })
    const { rows } = await database.pool.query(
      `SELECT swap.tableoid::regclass::text AS day, block_number, pg_get_indexdef(indexrelid) AS key
       FROM swap LEFT JOIN pg_index ON indrelid = swap.tableoid AND indisprimary`,
    )
    const key = expect.stringContaining('(chain_id, block_number, transaction_index, "position")')
    expect(rows).toEqual([{ day: 'swap_20261120', block_number: 78_000_000, key }])
  })

  it('drops the partitions of a day that was being dropped, and retention goes on', async () => {
    const { url, database } = await migratedBefore('20261127110000')
    const [reader, detaching] = [await connectTo(url), await connectTo(url)]
    await detaching.query('SET lock_timeout = 100')
    const parents = ['swap', 'swap_hop', 'pool_candle', 'token_candle', 'day_trader']
    for (const parent of parents) {
      await database.pool.query(`
        CREATE TABLE ${parent}_20261119 PARTITION OF ${parent} FOR VALUES FROM ('2026-11-19 00:00Z') TO ('2026-11-20 00:00Z');
        CREATE TABLE ${parent}_20261120 PARTITION OF ${parent} FOR VALUES FROM ('2026-11-20 00:00Z') TO ('2026-11-21 00:00Z')`)
      await reader.query(`BEGIN; SELECT FROM ${parent}`)
      const detached = detaching.query(`ALTER TABLE ${parent} DETACH PARTITION ${parent}_20261119 CONCURRENTLY`)
      await expect(detached).rejects.toMatchObject({ code: '55P03' })
      await reader.query('COMMIT')
    }
    // A table of another application.
    await database.pool.query(`CREATE SCHEMA other; CREATE TABLE other.log (day date) PARTITION BY RANGE (day);
      CREATE TABLE other.log_old PARTITION OF other.log FOR VALUES FROM ('2026-11-19') TO ('2026-11-20')`)
    await reader.query('BEGIN; SELECT FROM other.log')
    await expect(
      detaching.query('ALTER TABLE other.log DETACH PARTITION other.log_old CONCURRENTLY'),
    ).rejects.toMatchObject({ code: '55P03' })
    await reader.query('COMMIT')
    const days = async () => {
      const { rows } = await database.pool.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relname ~ '_[0-9]{8}$' AND relkind = 'r' ORDER BY oid`,
      )
      return rows.map(({ name }) => name)
    }
    expect(await days()).toHaveLength(2 * parents.length)
    await migrate(url, { log: quiet })
    // Later migrations rename a table and add one.
    const tables = parents.map((parent) => (parent === 'token_candle' ? 'token_volume' : parent))
    expect(await days()).toEqual([...tables, 'token_flow'].map((table) => `${table}_20261120`))
    expect((await database.pool.query('SELECT FROM pg_inherits WHERE inhdetachpending')).rowCount).toBe(1)
    await openIndexerStore(database, 'eth').dropDaysBefore(dayOf(Date.UTC(2026, 10, 21) / 1000))
    expect(await days()).toEqual([])
  })

  it('refuses a database that a newer version has migrated', async () => {
    const url = await testDatabase()
    const database = await open(url)
    await database.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES ('1', 'x', '29990101000000_later', now())`,
    )
    await expect(migrate(url, { log: quiet })).rejects.toThrow(DatabaseTooNew)
    await expect(assertMigrated(database)).rejects.toThrow('29990101000000_later')
  })

  it('refuses a database in which another tool left a migration half done', async () => {
    const url = await testDatabase()
    const database = await open(url)
    await database.pool.query('UPDATE _prisma_migrations SET finished_at = NULL')
    await expect(migrate(url, { log: quiet })).rejects.toThrow(MigrationFailed)
    await expect(assertMigrated(database)).rejects.toThrow('20261121000000_init')
  })

  it('names the command if migrations are missing', async () => {
    const database = await open(await emptyDatabase())
    await expect(assertMigrated(database)).rejects.toBeInstanceOf(DatabaseNotMigrated)
    await expect(assertMigrated(database)).rejects.toThrow('npm run migrate')
  })

  it('leaves nothing of migrations that fail, and continues once they are repaired', async () => {
    const url = await emptyDatabase()
    const sql = '-- a comment; with a semicolon\nCREATE TABLE half (); SELECT 1/0;'
    const broken = { name: '29990101000000_broken', sql }
    const failing = migrate(url, { log: quiet, migrations: [...FEW, broken] })
    await expect(failing).rejects.toBeInstanceOf(MigrationFailed)
    await expect(failing).rejects.toThrow('division by zero')
    const database = await open(url)
    const { rows } = await database.pool.query(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
    expect(rows).toEqual([])
    const repaired = [...FEW, { ...broken, sql: 'CREATE TABLE whole ()' }]
    const applied = repaired.map(({ name }) => name)
    expect(await migrate(url, { log: quiet, migrations: repaired })).toEqual({ applied })
  })

  it('reports within four seconds that no database responds, without the password', async () => {
    const url = 'postgresql://someone:topsecret@127.0.0.1:1/nothing'
    for (const failing of [migrate(url, { log: quiet }), openDatabase(url, { applicationName: 'test' })]) {
      const error = await failing.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(DatabaseUnreachable)
      expect(String(error)).toContain('127.0.0.1:1/nothing')
      expect(String(error)).not.toContain('topsecret')
    }
  })
})

describe('the reader role', () => {
  it('reads every table, also later ones, and changes nothing', async () => {
    const url = await testDatabase()
    await migrate(url, { log: quiet })
    const owner = await open(url)
    await owner.pool.query('CREATE TABLE made_later (id int)')
    const reader = await open(url, { role: READER_ROLE })
    expect(reader.role).toBe(READER_ROLE)
    for (const table of ['network', 'swap', 'day_trader', '_prisma_migrations', 'made_later']) {
      await reader.pool.query(`SELECT * FROM ${table}`)
    }
    expect(await reader.prisma.swap.findMany()).toEqual([])
    for (const sql of [
      'DELETE FROM swap',
      "UPDATE network SET degraded = 'no'",
      'INSERT INTO day_address_count VALUES (current_date, 1, 1)',
      'TRUNCATE pool',
      'CREATE TABLE mine ()',
      'CREATE TEMPORARY TABLE mine ()',
      'CREATE SCHEMA mine',
      'DROP TABLE token',
    ]) {
      await expect(reader.pool.query(sql), sql).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('is granted to a separate user, whose password follows the settings', async () => {
    const url = await testDatabase()
    const user = `api_${randomBytes(4).toString('hex')}`
    for (const password of ["a'b\\c", 'second one']) {
      const apiUrl = urlOf(url, user, password)
      await migrate(url, { log: quiet, apiUrl })
      const api = await open(apiUrl)
      await api.pool.query('SELECT * FROM swap')
      await expect(api.pool.query('DELETE FROM swap')).rejects.toMatchObject({ code: '42501' })
      await expect(api.pool.query('CREATE TEMPORARY TABLE mine ()')).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('limits the sessions of that user', async () => {
    const url = await testDatabase()
    const user = `api_${randomBytes(4).toString('hex')}`
    await migrate(url, { log: quiet, apiUrl: urlOf(url, user, 'secret') })
    const client = await connectTo(urlOf(url, user, 'secret'))
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
    const shown: unknown[] = []
    for (const limit of limits) shown.push(...Object.values((await client.query(`SHOW ${limit}`)).rows[0]))
    expect(shown).toEqual(['10s', '5s', '5min'])
    const { rows } = await client.query('SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user')
    expect(rows).toEqual([{ rolconnlimit: 100 }])
  })

  it('is a warning if the owner may not manage roles, and reading continues as the owner', async () => {
    const url = await emptyDatabase()
    const admin = await open(url)
    const owner = `owner_${randomBytes(4).toString('hex')}`
    await admin.pool.query(`CREATE ROLE ${owner} LOGIN PASSWORD 'secret'`)
    await admin.pool.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${owner}`)
    const { log, warnings } = listeningLog()
    const ownUrl = urlOf(url, owner, 'secret')
    const apiUrl = urlOf(url, `api_${randomBytes(4).toString('hex')}`, 'secret')
    await migrate(ownUrl, { log, apiUrl })
    expect(warnings.join()).toContain(`the owner of the database may not use the role ${READER_ROLE}`)
    const reader = await open(ownUrl, { role: READER_ROLE, readOnly: true })
    expect(reader.role).toBeNull()
    await reader.pool.query('SELECT * FROM swap')
    await expect(reader.pool.query('DELETE FROM swap')).rejects.toMatchObject({ code: '25006' })
    await expect(openDatabase(apiUrl, { applicationName: 'test' })).rejects.toThrow(DatabaseUnreachable)
  })

  it('is not used if it does not exist', async () => {
    const database = await open(await emptyDatabase(), { role: 'no_such_role' })
    expect(database.role).toBeNull()
  })
})
