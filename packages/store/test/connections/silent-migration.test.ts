import { type Database, migrate } from '@dexfeed/store'
import { emptyDatabase } from '@dexfeed/test-setup'
import { type Freeze, openTcpProxy, type TcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { beforeEach, expect, test } from 'vitest'
import { ADVISORY_LOCKS } from '../../src/database/locks.ts'
import { readMigrations } from '../../src/migrate/migration-history.ts'
import { open, session } from '../rows/sample.ts'

//  migrate -- x   x -- server       the proxy in between: nothing comes through, nothing is closed

const HASTY = { silentMs: 200, checkMs: 400, marginMs: 200, keepAliveMs: 50, idleSessionMs: 2_000 }
const log = { info() {}, warn() {} }
/** Enough, because every migration is run in the same way. */
const migrations = readMigrations().slice(0, 3)
const names = migrations.map(({ name }) => name)

let url: string
let proxy: TcpProxy
let direct: Database

beforeEach(async () => {
  url = await emptyDatabase()
  proxy = await openTcpProxy(url)
  direct = await open(url)
})

const before: Freeze = { all: true, arrives: false }
const after: Freeze = { all: true, arrives: true }
const alone: Freeze = { all: false, arrives: true }

test.each<[string, RegExp, Freeze, RegExp]>([
  ['as it waits for its turn', /pg_try_advisory_lock/, before, /nothing came from the database/],
  ['amid a migration', /CREATE TABLE "?network/, before, /interrupted.*migrate again/],
  ['amid a migration, on its connection alone', /CREATE TABLE "?network/, alone, /interrupted.*migrate again/],
  ['at a COMMIT that does not arrive', /COMMIT/, before, /interrupted.*migrate again/],
  ['at a COMMIT that goes through', /COMMIT/, after, /interrupted.*migrate again/],
  ['as it makes the reader', /FROM pg_roles/, after, /nothing came from the database/],
])(
  'a database that falls silent %s ends migrate with an error, and the next one completes',
  async (_, text, how, message) => {
    void proxy.freezeAt(text, how)
    const failing = migrate(proxy.url, { log, migrations, patience: HASTY })
    await expect(failing).rejects.toMatchObject({ name: 'StoreError', retryable: true })
    await expect(failing).rejects.toThrow(message)
    await proxy.restore()
    await migrate(url, { log, migrations })
    const { rows } = await direct.pool.query(
      'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL',
    )
    expect(rows.map((row) => row.migration_name)).toEqual(names)
  },
)

/** Resolves once the server has been asked three times whether it is still working on a statement. */
const checkedThrice = () => proxy.sees('FROM pg_stat_activity WHERE pid', 3)

test('migrate waits for the lock, however long', async () => {
  const checked = checkedThrice()
  const other = await session(direct, 'other migrate')
  await other.query('SELECT pg_advisory_lock($1, 0)', [ADVISORY_LOCKS.migration])
  const migrating = migrate(proxy.url, { log, migrations, patience: HASTY })
  await checked
  await other.query('SELECT pg_advisory_unlock($1, 0)', [ADVISORY_LOCKS.migration])
  expect(await migrating).toEqual({ applied: names })
})

test('migrate waits for a migration that is merely slow', async () => {
  await migrate(url, { log, migrations })
  const slow = { name: '29990101000000_slow', sql: 'ALTER TABLE network ADD COLUMN later int' }
  const checked = checkedThrice()
  const blocker = await session(direct, 'blocker')
  await blocker.query('BEGIN; LOCK TABLE network IN ACCESS SHARE MODE')
  const migrating = migrate(proxy.url, { log, patience: HASTY, migrations: [...migrations, slow] })
  await checked
  await blocker.query('ROLLBACK')
  expect(await migrating).toEqual({ applied: [slow.name] })
})
