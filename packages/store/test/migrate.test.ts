import { randomBytes } from 'node:crypto'
import {
  assertMigrated,
  DatabaseNotMigrated,
  DatabaseTooNew,
  DatabaseUnreachable,
  MigrationFailed,
  migrate,
  openDatabase,
  READER_ROLE,
} from '@dexfeed/store'
import { emptyDatabase } from '@dexfeed/test-setup'
import { afterEach, describe, expect, it } from 'vitest'
import { readMigrations } from '../src/migrate/migrations.ts'

const quiet = { info() {}, warn() {} }
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function open(url: string, role: string | null = null) {
  const database = await openDatabase(url, { applicationName: 'test', max: 2, role })
  closers.push(() => database.close())
  return database
}

/** A log that keeps its warnings. */
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

  it('does nothing the second time, and lets one of several at once do the work', async () => {
    const url = await emptyDatabase()
    const results = await Promise.all([1, 2, 3].map(() => migrate(url, { log: quiet })))
    expect(results.flatMap(({ applied }) => applied)).toEqual(readMigrations().map(({ name }) => name))
    expect(await migrate(url, { log: quiet })).toEqual({ applied: [] })
  })

  it('may run for several databases of a cluster at the same time', async () => {
    const urls = await Promise.all([1, 2, 3, 4].map(() => emptyDatabase()))
    const apiUser = `api_${randomBytes(4).toString('hex')}`
    await Promise.all(urls.map((url) => migrate(url, { log: quiet, apiUrl: urlOf(url, apiUser, 'secret') })))
  })

  it('refuses a database that a newer version has migrated', async () => {
    const url = await emptyDatabase()
    await migrate(url, { log: quiet })
    const database = await open(url)
    await database.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES ('1', 'x', '29990101000000_later', now())`,
    )
    await expect(migrate(url, { log: quiet })).rejects.toThrow(DatabaseTooNew)
    await expect(assertMigrated(database)).rejects.toThrow('29990101000000_later')
  })

  it('refuses a database in which another tool left a migration half done', async () => {
    const url = await emptyDatabase()
    await migrate(url, { log: quiet })
    const database = await open(url)
    await database.pool.query('UPDATE _prisma_migrations SET finished_at = NULL')
    await expect(migrate(url, { log: quiet })).rejects.toThrow(MigrationFailed)
    await expect(assertMigrated(database)).rejects.toThrow('20261121000000_init')
  })

  it('names the command where migrations are missing', async () => {
    const database = await open(await emptyDatabase())
    await expect(assertMigrated(database)).rejects.toBeInstanceOf(DatabaseNotMigrated)
    await expect(assertMigrated(database)).rejects.toThrow('npm run migrate')
  })

  it('leaves nothing of migrations that fail, and goes on once they are mended', async () => {
    const url = await emptyDatabase()
    const init = readMigrations()
    const broken = {
      name: '29990101000000_broken',
      sql: '-- a comment; with a semicolon\nCREATE TABLE half (); SELECT 1/0;',
    }
    const failing = migrate(url, { log: quiet, migrations: [...init, broken] })
    await expect(failing).rejects.toBeInstanceOf(MigrationFailed)
    await expect(failing).rejects.toThrow('division by zero')
    const database = await open(url)
    const { rows } = await database.pool.query(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
    expect(rows).toEqual([])
    const mended = [...init, { ...broken, sql: 'CREATE TABLE whole ()' }]
    expect(await migrate(url, { log: quiet, migrations: mended })).toEqual({ applied: mended.map(({ name }) => name) })
  })

  it('says within four seconds that nothing answers, without the password', async () => {
    const url = 'postgresql://someone:topsecret@127.0.0.1:1/nothing'
    for (const failing of [migrate(url, { log: quiet }), openDatabase(url, { applicationName: 'test' })]) {
      const error = await failing.then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(DatabaseUnreachable)
      expect(String(error)).toContain('127.0.0.1:1/nothing')
      expect(String(error)).not.toContain('topsecret')
    }
  })
})

describe('the reader role', () => {
  it('reads every table, also later ones, and changes nothing', async () => {
    const url = await emptyDatabase()
    await migrate(url, { log: quiet })
    const owner = await open(url)
    await owner.pool.query('CREATE TABLE made_later (id int)')
    const reader = await open(url, READER_ROLE)
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

  it('is lent to a user of its own, whose password follows the settings', async () => {
    const url = await emptyDatabase()
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

  it('is a warning where the owner may not deal in roles, and reading goes on as the owner', async () => {
    const url = await emptyDatabase()
    const admin = await open(url)
    const owner = `owner_${randomBytes(4).toString('hex')}`
    await admin.pool.query(`CREATE ROLE ${owner} LOGIN PASSWORD 'secret'`)
    await admin.pool.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${owner}`)
    const { log, warnings } = listeningLog()
    const ownUrl = urlOf(url, owner, 'secret')
    const apiUrl = urlOf(url, `api_${randomBytes(4).toString('hex')}`, 'secret')
    await migrate(ownUrl, { log, apiUrl })
    expect(warnings).toContain(`the owner of the database may not act as ${READER_ROLE}`)
    const reader = await openDatabase(ownUrl, { applicationName: 'test', role: READER_ROLE, readOnly: true })
    closers.push(() => reader.close())
    expect(reader.role).toBeNull()
    await reader.pool.query('SELECT * FROM swap')
    await expect(reader.pool.query('DELETE FROM swap')).rejects.toMatchObject({ code: '25006' })
    await expect(openDatabase(apiUrl, { applicationName: 'test' })).rejects.toThrow(DatabaseUnreachable)
  })

  it('is left out where it does not exist', async () => {
    const database = await open(await emptyDatabase(), 'no_such_role')
    expect(database.role).toBeNull()
  })
})
